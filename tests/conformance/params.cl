// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint values[32];
};

// The largest params that gpu.h knows, word by word.
KERNEL void KERNEL_NAME(__global uint *words, const struct params p)
{
    const uint i = global_x();
    if (i < 32)
        words[i] = p.values[i];
}
