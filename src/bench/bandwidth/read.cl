// SPDX-License-Identifier: MIT
// Reads memory, as read.comp does. Every thread has LOADS loads in flight and adds up their bits.
//
// -DBYTES=4|8|16: bytes per load  -DDOUBLE=1: doubles; 0: floats  -DLOADS=…: loads in flight
// -DACCESS_ADDRESS is ignored: the source is a pointer
// -DBYPASS=1: loads bypass the core's cache
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/bandwidth.h"
#include "bench/bandwidth/element.clh"
#include "bench/bandwidth/walk.clh"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.clh"

#if BYPASS
#define VALUE   SUM
#define LOAD(p) LOAD_L2(p)
#define BITS(v) (v)
#else
#define VALUE   ELEMENT
#define LOAD(p) (*(p))
#define BITS(v) AS_SUM(v)
#endif

#if defined(KERNEL_STREAM)
#include "bench/bandwidth/told.clh"

KERNEL void KERNEL_NAME(const __global ELEMENT *source, __global uint *words, const struct params p)
{
    const uint block_bytes = LOADS * BANDWIDTH_LANES * BYTES;
    if (p.advance % p.extent != TOLD_ROWS % p.extent)
        return;
    told_stream(p, (struct stream){.buffer = source, .past_core = BYPASS}, block_bytes);
    for (uint group = 0; group < p.groups; group++) {
        words[group % WORDS_SLOTS] += told_sum(source, p, group, block_bytes);
        words[WORDS_SLOTS + group % WORDS_SLOTS] += 1;
    }
}
#else
KERNEL void KERNEL_NAME(const __global ELEMENT *restrict source, __global uint *words,
                        const struct params p)
{
    WORDS_SHARED
    const uint group = walk_group();
    if (group >= p.groups)
        return;
    const uint place = walk_place(p, group);
    uint at = walk_enter(p, group);
    SUM sum = (SUM)(0);
    NOT_UNROLLED
    for (uint i = 0; i < p.steps; i++) {
        const __global ELEMENT *from =
            source + (ulong)((place + at) * (LOADS * BANDWIDTH_LANES) + walk_lane());
        VALUE values[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            values[k] = LOAD(from + k * BANDWIDTH_LANES);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += BITS(values[k]);
        at = walk_on(p, at);
    }
    WORDS_ADD_SUM(words, group, FOLD(sum));
}
#endif
