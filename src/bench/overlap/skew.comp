// SPDX-License-Identifier: MIT
// Do the cores' readings of the device-wide clock agree? Each workgroup publishes what it reads and
// looks at what others published: a word that it has in hand was read before, so where its own
// clock shows less, that clock is behind the other's. Nobody waits for anybody.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/overlap/overlap.h"

layout(set = 0, binding = 0, std430) volatile coherent buffer Slots
{
    uint slots[];
};

layout(set = 0, binding = 1, std430) writeonly buffer Found
{
    uint found[];
};

layout(push_constant) uniform Params
{
    uint rounds;
} params;

void main()
{
    if (gl_LocalInvocationIndex != 0u)
        return;
    const uint own = gl_WorkGroupID.x, groups = gl_NumWorkGroups.x;
    uint behind = 0u, ahead = 0xffffffffu, seen = 0u;
    for (uint round = 0u; round < params.rounds; round++) {
        slots[own * OVERLAP_SLOT_WORDS] = clock_device().x | 1u; // 0: nothing yet
        const uint other = slots[(own + 1u + round % (groups - 1u)) % groups * OVERLAP_SLOT_WORDS];
        if (other == 0u)
            continue; // the branch needs the word, so the clock is read after it came
        const uint now = clock_device().x | 1u;
        seen++;
        if (int(now - other) < 0)
            behind = max(behind, other - now);
        else
            ahead = min(ahead, now - other);
    }
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_BEHIND] = behind;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_AHEAD] = ahead;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_SEEN] = seen;
    found[own * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_CORE] = core_id();
}
