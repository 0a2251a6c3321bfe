// SPDX-License-Identifier: MIT
// Writes the data of a seed, LOADS elements of 16 bytes a thread and step.
//
// -DLOADS=…  -DACCESS_ADDRESS: a pointer either way
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/data.clh"
#include "bench/bandwidth/walk.clh"

KERNEL void KERNEL_NAME(__global float4 *restrict target, const struct params p)
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
}
