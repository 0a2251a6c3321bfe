// SPDX-License-Identifier: MIT
// Copies, LOADS elements of 16 bytes a thread and step, all loaded before the first is stored.
//
// -DLOADS=…  -DACCESS_ADDRESS: pointers either way
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/walk.clh"

KERNEL void KERNEL_NAME(const __global float4 *restrict source, __global float4 *restrict target,
                        const struct params p)
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
}
