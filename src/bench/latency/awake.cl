// SPDX-License-Identifier: MIT
// The kernel of load=keep-awake. One workgroup runs beside the chase and computes until the chase
// ends. That keeps the core clock and the memory clock high. Every `repeats` steps it reads the
// word that shows the chase's end, and the next block of a large buffer. These reads are too rare
// to evict the chain from caches.
#include "bench/prelude/prelude.clh"

#include "bench/latency/order.clh"

KERNEL void KERNEL_NAME(__global uint *result, const __global uint *words,
                        const struct params params)
{
    const struct params *p = &params;
    uint x = local_x();
    // The loop makes at most `windows` iterations, so that it ends even if the chase never ends.
    for (uint i = 0; i < p->windows; i++) {
        for (uint j = 0; j < p->repeats; j++)
            x = x * 0x85ebca6bu + (x >> 13);
        x ^= load_u32(words + (i % p->nodes) * (LATENCY_STRIDE_BYTES / 4) + local_x() % 32);
        if (atomic_add_global(result + LATENCY_OUT_DONE, p->zero) == p->token)
            break;
    }
    if (x == p->never)
        result[LATENCY_OUT_WARM] = x;
}
