// SPDX-License-Identifier: MIT
// -DCHECK=0: writes all three arrays for the first time, on the device. -DCHECK=1: counts the pairs
// of elements in `a` that hold the correct sum.
#include "bench/prelude/prelude.clh"

#include "bench/managed/data.clh"

struct params {
    double factor;
    uint count; // number of pairs of doubles in each array
    uint seed;
};

#if CHECK
KERNEL void KERNEL_NAME(__global double2 *a, __global uint *right, const struct params p)
#else
KERNEL void KERNEL_NAME(__global double2 *a, __global double2 *b, __global double2 *c,
                        const struct params p)
#endif
{
    const uint stride = groups_x() * WORKGROUP_X;
#if CHECK
    uint seen = 0;
#endif
    for (uint i = global_x(); i < p.count; i += stride) {
        const double2 of_b = managed_pair(i, p.seed, MANAGED_MIX_B);
        const double2 of_c = managed_pair(i, p.seed, MANAGED_MIX_C);
#if CHECK
        const double2 sum = of_b + p.factor * of_c, found = a[i];
        seen += found.x == sum.x && found.y == sum.y;
#else
        a[i] = (double2)(0, 0);
        b[i] = of_b;
        c[i] = of_c;
#endif
    }
#if CHECK
    if (seen != 0)
        atomic_add_global(right, seen);
#endif
}
