// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint low, high; // the byte within `far_words`, 64 bits
    uint value;
};

// Reads the word at a byte that may lie beyond 4 GiB, then replaces it by value.
KERNEL void KERNEL_NAME(__global uint *far_words, __global uint *seen, const struct params p)
{
    const ulong place = (ulong)p.high << 32 | p.low;
    seen[0] = far_words[place / 4];
    far_words[place / 4] = p.value;
}
