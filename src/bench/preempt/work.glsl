// SPDX-License-Identifier: MIT
// The work of one thread of any load, in a dispatch or in a draw: it computes for some time, and
// reads the clock after every turn of its loop. If the workgroup is stopped meanwhile, the time
// between two of these reads shows for how long.
#ifndef BENCH_PREEMPT_WORK_GLSL
#define BENCH_PREEMPT_WORK_GLSL

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

// Returns the word that the thread computed. Sets `pause` to the longest time between two
// successive reads of the clock, in clock units.
uint work(uint group, uint thread, uvec2 start, out uint pause)
{
    uint x = params.token * 0x9e3779b9u + group * PREEMPT_WORKGROUP + thread;
    x |= uint(x == 0u);
    uint last = start.x;
    pause = 0u;
    for (uint turn = 0u; turn < params.turns; turn++) {
        [[unroll]] for (uint round = 0u; round < PREEMPT_ROUNDS; round++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        const uint now = clock_device().x;
        pause = max(pause, now - last);
        // `last` depends on x. So the pause of the next turn can be computed only when the work of
        // this turn is done.
        last = now + (x & params.zero);
    }
    return x;
}

void write_record(uint group, uvec2 start, uvec2 end, uint pause, uint x)
{
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

#endif
