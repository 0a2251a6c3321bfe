// SPDX-License-Identifier: MIT
#version 460
// A workgroup that computes for a while and records when and where; its first thread looks at the
// clock after every turn and keeps the longest pause: a workgroup that was stopped in its midst has
// one as long as it stood still.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/preempt/preempt.h"

layout(set = 0, binding = 0, std430) writeonly buffer Records
{
    uint records[];
};

layout(push_constant) uniform Params
{
#define X(name) uint name;
    PREEMPT_PARAMS(X)
#undef X
} params;

void main()
{
    const uvec2 start = clock_device();
    const uint group = params.first_group + gl_WorkGroupID.x;
    uint x = params.token * 0x9e3779b9u + group * PREEMPT_WORKGROUP + gl_LocalInvocationIndex;
    x |= uint(x == 0u);
    uint last = start.x, pause = 0u;
    for (uint turn = 0u; turn < params.turns; turn++) {
        [[unroll]] for (uint round = 0u; round < PREEMPT_ROUNDS; round++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        const uint now = clock_device().x;
        pause = max(pause, now - last);
        last = now + (x & params.zero); // so that the turn ends before the clock is read again
    }
    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex != 0u || group % params.stride != 0u)
        return;
    const uint at = (params.first_record + group / params.stride) * PREEMPT_RECORD_WORDS;
    records[at + PREEMPT_RECORD_START] = start.x;
    records[at + PREEMPT_RECORD_START + 1u] = start.y;
    records[at + PREEMPT_RECORD_END] = end.x;
    records[at + PREEMPT_RECORD_END + 1u] = end.y;
    records[at + PREEMPT_RECORD_GROUP] = group;
    records[at + PREEMPT_RECORD_CORE] = core_id();
    records[at + PREEMPT_RECORD_TOKEN] = params.token;
    records[at + PREEMPT_RECORD_PAUSE] = pause;
    records[at + PREEMPT_RECORD_WORD] = x;
}
