// SPDX-License-Identifier: MIT
// Follows addresses from the first word of a buffer, 16 times, and tells where it came to.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(__global ulong *chain, __global ulong *out)
{
    ulong at = (ulong)chain;
    for (int hop = 0; hop < 16; hop++)
        at = load_u64((const __global ulong *)at);
    out[0] = at;
}
