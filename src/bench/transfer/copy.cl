// SPDX-License-Identifier: MIT
// Copies elements of 16 bytes. Each thread copies TRANSFER_LOADS elements; it loads all of them
// before it stores the first. The last workgroup counts the dispatch.
#include "bench/prelude/prelude.clh"

#include "bench/transfer/transfer.h"

struct params {
    uint count;
};

KERNEL void KERNEL_NAME(const __global uint4 *restrict source, __global uint4 *restrict target,
                        __global uint *dispatches, const struct params p)
{
    const uint group = group_y() * groups_x() + group_x();
    const uint begin = group * WORKGROUP_X * TRANSFER_LOADS, first = begin + local_x();
    if (begin + WORKGROUP_X * TRANSFER_LOADS <= p.count) {
        uint4 values[TRANSFER_LOADS];
#pragma unroll
        for (int k = 0; k < TRANSFER_LOADS; k++)
            values[k] = source[first + k * WORKGROUP_X];
#pragma unroll
        for (int k = 0; k < TRANSFER_LOADS; k++)
            target[first + k * WORKGROUP_X] = values[k];
    } else {
        for (uint i = first; i < p.count; i += WORKGROUP_X)
            target[i] = source[i];
    }
    if (local_x() == 0 && begin < p.count && p.count - begin <= WORKGROUP_X * TRANSFER_LOADS)
        atomic_add_global(dispatches, 1);
}
