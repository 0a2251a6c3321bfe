// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
};

CONSTANT_BUFFER(uint, table, 0, 65536)

// to[i] = word i of the constants
KERNEL void KERNEL_NAME(CONSTANT_ARG(uint, table), __global uint *to, const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        to[i] = table[i];
}
