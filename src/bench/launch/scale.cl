// SPDX-License-Identifier: MIT
// Computes target = factor × source, one element per thread: the smallest kernel that moves data.
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
    float factor;
};

KERNEL void KERNEL_NAME(__global const float2 *restrict source, __global float2 *restrict target,
                        const struct params p)
{
    const uint i = (group_y() * groups_x() + group_x()) * WORKGROUP_X + local_x();
    if (i < p.count)
        target[i] = p.factor * source[i];
}
