// SPDX-License-Identifier: MIT
// Writes the data of a seed: LOADS elements of 16 bytes per thread and step.
//
// -DLOADS=…  -DACCESS_ADDRESS is ignored: the target is a pointer
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/data.clh"
#include "bench/bandwidth/walk.clh"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.clh"

#if defined(KERNEL_STREAM)
#include "bench/bandwidth/told.clh"

KERNEL void KERNEL_NAME(__global float4 *target, __global uint *words, const struct params p)
{
    if (p.advance != TOLD_ROWS)
        return;
    told_stream(p, (struct stream){.buffer = target, .past_core = 1, .writes = 1},
                LOADS * BANDWIDTH_LANES * 16);
    for (uint group = 0; group < p.groups; group++) {
        const uint first = group * p.pitch * (LOADS * BANDWIDTH_LANES);
        const uint count = (uint)told_blocks(p) * (LOADS * BANDWIDTH_LANES);
        for (uint i = first; i < first + count; i++)
            target[i] = as_float4(data_words(i, p.seed));
    }
    words[WORDS_SLOTS] += groups_z();
}
#else
KERNEL void KERNEL_NAME(__global float4 *restrict target, __global uint *words,
                        const struct params p)
{
    const uint group = walk_group();
    if (group >= p.groups)
        return;
    uint block = group * p.pitch + walk_row();
    NOT_UNROLLED
    for (uint i = 0; i < p.steps; i++, block += p.advance) {
        const uint first = block * (LOADS * BANDWIDTH_LANES) + walk_lane();
        __global float4 *to = target + (ulong)first;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            to[k * BANDWIDTH_LANES] = as_float4(data_words(first + k * BANDWIDTH_LANES, p.seed));
    }
    WORDS_ADD_PASS(words, group, p.groups - 1);
}
#endif
