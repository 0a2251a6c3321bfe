// SPDX-License-Identifier: MIT
// The clock kernel: see clock.comp.
#include "bench/prelude/prelude.clh"

struct params {
    uint stamps, turns, never;
};

#ifdef KERNEL_TARGET_HOST
// On a simulated device (KERNEL_TARGET_HOST), only COMPUTES takes simulated time. So the xorshift
// rounds would only cost host time and are left out.
#define ROUND
#else
#define ROUND                                                                                      \
    x ^= x << 13;                                                                                  \
    x ^= x >> 17;                                                                                  \
    x ^= x << 5;
#endif
#define FOUR_ROUNDS ROUND ROUND ROUND ROUND

KERNEL void KERNEL_NAME(__global uint *words, struct params p)
{
    uint at = group_x() * (1u + 4u * p.stamps), x = group_x() + 1u;
    words[at++] = core_id();
    for (uint stamp = 0; stamp < p.stamps; stamp++) {
        for (uint turn = stamp == 0 ? 0 : p.turns + (stamp & 7u); turn > 0; turn--) {
            FOUR_ROUNDS
            FOUR_ROUNDS
            FOUR_ROUNDS
            FOUR_ROUNDS
            COMPUTES(96);
        }
        if (x == p.never)
            break;
        const uint2 core = clock_core(), device = clock_device();
        words[at++] = core.x;
        words[at++] = core.y;
        words[at++] = device.x;
        words[at++] = device.y;
    }
}
