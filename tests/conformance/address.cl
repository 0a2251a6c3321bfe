// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint count, plus;
};

// to[i] = 3 · from[i] + plus
KERNEL void KERNEL_NAME(const __global uint *from, __global uint *to, const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        to[i] = from[i] * 3 + p.plus;
}
