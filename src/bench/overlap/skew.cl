// SPDX-License-Identifier: MIT
// Does the same as skew.comp, which describes it.
//
// -DDEVICE_CLOCK=1, -DCORE_ID=1
#include "bench/prelude/prelude.clh"

#include "bench/overlap/overlap.h"

struct params {
    uint rounds;
};

KERNEL void KERNEL_NAME(__global uint *slots, __global uint *found, const struct params p)
{
    if (local_x() != 0)
        return;
    const uint own = group_x(), groups = groups_x();
    volatile __global uint *slot = slots + own * OVERLAP_SLOT_WORDS;
    uint behind = 0, ahead = 0xffffffffu, seen = 0;
    for (uint round = 0; round < p.rounds; round++) {
        *slot = clock_device().x | 1u;
        const uint at = (own + 1u + round % (groups - 1u)) % groups;
        const uint other = load_l2_u32(slots + at * OVERLAP_SLOT_WORDS);
        if (other == 0)
            continue;
        const uint now = clock_device().x | 1u;
        seen++;
        if ((int)(now - other) < 0)
            behind = other - now > behind ? other - now : behind;
        else
            ahead = now - other < ahead ? now - other : ahead;
    }
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_BEHIND] = behind;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_AHEAD] = ahead;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_SEEN] = seen;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_CORE] = core_id();
}
