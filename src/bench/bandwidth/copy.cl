// SPDX-License-Identifier: MIT
// Copies elements of 16 bytes. In each step a thread loads LOADS elements before it stores the
// first one.
//
// -DLOADS=… (-DACCESS_ADDRESS is ignored: both buffers are pointers)
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/walk.clh"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.clh"

#if defined(KERNEL_STREAM)
#include "bench/bandwidth/told.clh"

KERNEL void KERNEL_NAME(const __global float4 *source, __global float4 *target,
                        __global uint *words, const struct params p)
{
    if (p.advance != TOLD_ROWS)
        return;
    told_stream(p, (struct stream){.buffer = source}, LOADS * BANDWIDTH_LANES * 16);
    told_stream(p, (struct stream){.buffer = target, .past_core = 1, .writes = 1},
                LOADS * BANDWIDTH_LANES * 16);
    for (uint group = 0; group < p.groups; group++) {
        const ulong first = (ulong)group * p.pitch * (LOADS * BANDWIDTH_LANES);
        const ulong count = told_blocks(p) * (LOADS * BANDWIDTH_LANES);
        for (ulong i = first; i < first + count; i++)
            target[i] = source[i];
    }
    words[WORDS_SLOTS] += groups_z();
}
#else
KERNEL void KERNEL_NAME(const __global float4 *restrict source, __global float4 *restrict target,
                        __global uint *words, const struct params p)
{
    const uint group = walk_group();
    if (group >= p.groups)
        return;
    uint block = group * p.pitch + walk_row();
    NOT_UNROLLED
    for (uint i = 0; i < p.steps; i++, block += p.advance) {
        const ulong first = block * (LOADS * BANDWIDTH_LANES) + walk_lane();
        float4 values[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            values[k] = source[first + k * BANDWIDTH_LANES];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            target[first + k * BANDWIDTH_LANES] = values[k];
    }
    WORDS_ADD_PASS(words, group, p.groups - 1);
}
#endif
