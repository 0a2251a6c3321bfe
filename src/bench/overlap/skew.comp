// SPDX-License-Identifier: MIT
// Measures whether the device-wide clock shows the same time on all cores. Each workgroup publishes
// its clock, and loads the clock that another workgroup published before. If its own clock now
// shows an earlier time, the clock of its core lags behind that of the other core. No workgroup
// waits for another.
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
        // Bit 0 is always set, because a slot that contains 0 holds no clock yet.
        slots[own * OVERLAP_SLOT_WORDS] = clock_device().x | 1u;
        const uint other = slots[(own + 1u + round % (groups - 1u)) % groups * OVERLAP_SLOT_WORDS];
        if (other == 0u)
            // This branch depends on `other`. So the clock below is read only after `other` has
            // arrived.
            continue;
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
