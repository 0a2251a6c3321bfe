// SPDX-License-Identifier: MIT
// load=keep-awake: one workgroup beside the chase that computes until the chase has said that it is
// done. Every `repeats` steps it asks and reads the next line of a large buffer, so that neither
// the core clock nor the memory clock sees an idle device; rarely enough to leave the caches alone.
#include "bench/prelude/prelude.clh"

#include "bench/latency/order.clh"

KERNEL void KERNEL_NAME(__global uint *result, const __global uint *words,
                        const struct params params)
{
    const struct params *p = &params;
    uint x = local_x();
    // `windows` bounds it: a chase that never ends must not keep the device.
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
