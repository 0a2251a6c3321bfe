// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
};

// to[i] = 3 · from[count − 1 − i] + 1: each thread needs what another one wrote the time before.
KERNEL void KERNEL_NAME(const __global uint *from, __global uint *to, const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        to[i] = from[p.count - 1 - i] * 3 + 1;
}
