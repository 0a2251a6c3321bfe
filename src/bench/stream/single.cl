// SPDX-License-Identifier: MIT
// The operations of stream.h, an element a thread, as in single.comp.
//
// -DOP=…  -DDOUBLE=0|1
#include "bench/prelude/prelude.clh"

#include "bench/stream/stream.h"
#include "bench/stream/value.clh"

struct params {
    uint blocks, groups, passes, pitch, advance, reach;
    float value, factor;
};

// Every kernel has all arguments; few use all.
#define MAYBE __attribute__((unused))

KERNEL void KERNEL_NAME(MAYBE const __global SCALAR *restrict source,
                        MAYBE const __global SCALAR *restrict other,
                        MAYBE __global SCALAR *restrict target, MAYBE __global uint *words,
                        MAYBE __global uint4 *places, const struct params p)
{
    const uint group = group_y() * groups_x() + group_x();
    const uint i = group * p.pitch + local_x();
    if (local_x() >= p.pitch || i >= p.blocks)
        return;
#if OP == STREAM_INIT
    target[i] = (SCALAR)p.value;
#elif OP == STREAM_READ
    if ((TOP_WORD(source[i]) & STREAM_MARK_MASK) == STREAM_MARK)
        atomic_add_global(words + group % STREAM_SLOTS, 1);
    if (local_x() == 0)
        atomic_add_global(words + STREAM_SLOTS + group % STREAM_SLOTS, 1);
#elif OP == STREAM_SCALE
    target[i] = (SCALAR)p.factor * source[i];
#elif OP == STREAM_TRIAD
    target[i] = source[i] + (SCALAR)p.factor * other[i];
#else
    const __global SCALAR *c = source + NUMBERS + i; // element 0 stands NUMBERS after the beginning
    const SCALAR near = (SCALAR)0.5f * c[1] - c[0];
#if OP == STREAM_STAR3
    target[i] = (SCALAR)0.5f * c[-1] + near;
#else
    target[i] = (SCALAR)0.25f * (c[-1] + c[-2]) + near + (SCALAR)0.5f * c[2];
#endif
#endif
}
