// SPDX-License-Identifier: MIT
// Measures whether all cores read the same time from the device-wide clock. Each workgroup
// publishes its clock and loads what another one published. That clock was read earlier, so if the
// workgroup's own clock now shows less, its core's clock lags the other's. No workgroup waits for
// another.
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
        slots[own * OVERLAP_SLOT_WORDS] = clock_device().x | 1u; // a slot with 0 holds no clock yet
        const uint other = slots[(own + 1u + round % (groups - 1u)) % groups * OVERLAP_SLOT_WORDS];
        if (other == 0u)
            continue; // the branch needs the word, so the clock is read after the word came
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
