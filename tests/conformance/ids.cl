// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint count, factor, plus;
};

// words[i] = i · factor + plus
KERNEL void KERNEL_NAME(__global uint *words, const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        words[i] = i * p.factor + p.plus;
}
