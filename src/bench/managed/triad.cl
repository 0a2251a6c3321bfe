// SPDX-License-Identifier: MIT
// Computes a = b + factor × c, two doubles per thread. The last thread counts the pass.
#include "bench/prelude/prelude.clh"

struct params {
    double factor;
    uint count; // number of pairs of doubles in each array
    uint seed;
};

KERNEL void KERNEL_NAME(__global double2 *restrict a, const __global double2 *restrict b,
                        const __global double2 *restrict c, __global uint *passes,
                        const struct params p)
{
    const uint i = (group_y() * groups_x() + group_x()) * WORKGROUP_X + local_x();
    if (i < p.count)
        a[i] = b[i] + p.factor * c[i];
    if (i == p.count - 1)
        atomic_add_global(passes, 1);
}
