// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint count, plus;
};

CONSTANT_BUFFER(uint, c, 2, 256)

// Kinds of argument mixed: e[i] = a[i] + 10 · b[i] + 100 · c[0] + 1000 · d[i] + plus
KERNEL void KERNEL_NAME(const __global uint *a, const __global uint *b, CONSTANT_ARG(uint, c),
                        const __global uint *d, __global uint *e, const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        e[i] = a[i] + 10 * b[i] + 100 * c[0] + 1000 * d[i] + p.plus;
}
