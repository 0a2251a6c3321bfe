// SPDX-License-Identifier: MIT
#version 460
// The host writes question numbers 1, 2, … into host memory. The kernel answers each question: it
// writes the device's clock into host memory. The host uses the answers to relate the two clocks.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/launch/launch.h"

layout(set = 0, binding = 0, std430) readonly volatile buffer Question
{
    uint question[];
};

layout(set = 0, binding = 1, std430) writeonly volatile buffer Answer
{
    uint answer[];
};

layout(push_constant) uniform Params
{
    uint questions;
    uint polls; // maximum number of reads of `question`; then the kernel ends in any case
}
params;

void main()
{
    if (gl_LocalInvocationIndex != 0)
        return;
    uint poll = 0, last = 0;
    for (uint asked = 1; asked <= params.questions && poll < params.polls; poll++) {
        if (question[0] < asked) {
            last = clock_device().x; // reading the device's clock also makes polls less frequent
            continue;
        }
        const uvec2 now = clock_device();
        answer[LAUNCH_ANSWER_CLOCK] = now.x;
        answer[LAUNCH_ANSWER_CLOCK + 1] = now.y;
        answer[LAUNCH_ANSWER_LAST] = last;
        answer[LAUNCH_ANSWER_CHECK] = LAUNCH_ANSWER_SUM(now.x, now.y, asked);
        answer[LAUNCH_ANSWER_NUMBER] = asked;
        asked++;
    }
}
