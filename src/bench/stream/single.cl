// SPDX-License-Identifier: MIT
// The operations of stream.h with one element per thread and no loop, as gpu-stream launches them.
// The operation is a parameter, not a variant, because each size of a workgroup already is a
// variant. Each layer of the grid along z repeats the same pass.
//
// -DDOUBLE=0|1
#include "bench/prelude/prelude.clh"

#include "bench/stream/stream.h"
#include "bench/stream/value.clh"
#define WORDS_SLOTS STREAM_SLOTS
#include "bench/prelude/words.clh"

struct params {
    uint blocks, groups, passes, pitch, advance, reach;
    float value, factor;
    uint op;
};

KERNEL void KERNEL_NAME(const __global SCALAR *restrict source,
                        const __global SCALAR *restrict other, __global SCALAR *restrict target,
                        __global uint *words, const struct params p)
{
    const uint group = group_y() * groups_x() + group_x();
    const uint i = group * WORKGROUP_X + local_x();
    if (i >= p.blocks)
        return;
    // Points to the element in the middle of the stencil.
    const __global SCALAR *c = source + NUMBERS + i;
    if (p.op == STREAM_READ) {
        if ((TOP_WORD(source[i]) & STREAM_MARK_MASK) == STREAM_MARK)
            atomic_add_global(words + group % STREAM_SLOTS, 1);
        if (local_x() == 0)
            atomic_add_global(words + STREAM_SLOTS + group % STREAM_SLOTS, 1);
        return;
    }
    if (p.op == STREAM_INIT) {
        target[i] = (SCALAR)p.value;
    } else if (p.op == STREAM_SCALE) {
        target[i] = (SCALAR)p.factor * source[i];
    } else if (p.op == STREAM_TRIAD) {
        target[i] = source[i] + (SCALAR)p.factor * other[i];
    } else if (p.op == STREAM_STAR3) {
        target[i] = (SCALAR)0.5f * c[-1] + ((SCALAR)0.5f * c[1] - c[0]);
    } else {
        target[i] = (SCALAR)0.25f * (c[-1] + c[-2]) + ((SCALAR)0.5f * c[1] - c[0]) +
                    (SCALAR)0.5f * c[2];
    }
    WORDS_ADD_PASS(words, group, p.groups - 1);
}
