// SPDX-License-Identifier: MIT
#version 450
// The clock kernel. Each workgroup has one thread. It writes the id of its core and then `stamps`
// stamps; a stamp is a reading of the core's counter and of the device-wide clock. Between two
// stamps the thread runs `turns` iterations of a loop plus 0 to 7 more, so that successive waits
// differ. measure/clock_kernel.h reads these words and limits `turns`. An iteration does much work,
// because lavapipe ends every loop after 65535 iterations in all.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"

layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y, local_size_z = WORKGROUP_Z) in;

layout(set = 0, binding = 0) writeonly buffer Out
{
    uint words[];
};

layout(push_constant) uniform Params
{
    uint stamps;
    uint turns;
    // `never` is always 0. The variable `x` never becomes 0 (Marsaglia's xorshift), but the
    // compiler cannot know that.
    uint never;
};

#define ROUND                                                                                      \
    x ^= x << 13;                                                                                  \
    x ^= x >> 17;                                                                                  \
    x ^= x << 5;
#define FOUR_ROUNDS ROUND ROUND ROUND ROUND

void main()
{
    uint at = gl_WorkGroupID.x * (1u + 4u * stamps), x = gl_WorkGroupID.x + 1u;
    words[at++] = core_id();
    for (uint stamp = 0u; stamp < stamps; stamp++) {
        for (uint turn = stamp == 0u ? 0u : turns + (stamp & 7u); turn > 0u; turn--) {
            FOUR_ROUNDS
            FOUR_ROUNDS
            FOUR_ROUNDS
            FOUR_ROUNDS
        }
        if (x == never) // never true; makes the compiler read the clocks after the wait loop
            break;
        const uvec2 core = clock_core(), device = clock_device();
        words[at++] = core.x;
        words[at++] = core.y;
        words[at++] = device.x;
        words[at++] = device.y;
    }
}
