// SPDX-License-Identifier: MIT
// The work of one thread, in a dispatch or in a draw: it mixes one word. The word depends on the
// frame, on the thread, and on words of the workloads for which this workload waits. So the host,
// which computes the same in frame.c, can check that the barrier made those words visible.
#ifndef BENCH_OVERLAP_WORK_GLSL
#define BENCH_OVERLAP_WORK_GLSL

#include "bench/overlap/overlap.h"

layout(set = 0, binding = 0, std430) buffer Results
{
    uint results[];
};

layout(set = 0, binding = 1, std430) writeonly buffer Records
{
    uint records[];
};

layout(push_constant) uniform Params
{
#define X(name) uint name;
    OVERLAP_PARAMS(X)
#undef X
} params;

uint first_word(uint id)
{
    uint x = params.token * 0x9e3779b9u + params.workload * 0x85ebca6bu + id;
    for (uint after = params.after; after != 0u; after &= after - 1u)
        x += results[uint(findLSB(after)) * params.stride + id % OVERLAP_BLOCK_THREADS];
    return x;
}

uint work(uint id, uvec2 start)
{
    // The start value of x depends on `start`, so that the work loop cannot begin before the clock
    // was read.
    uint x = first_word(id) + (start.x & params.zero);
    x |= uint(x == 0u);
    for (uint iteration = 0u; iteration < params.iterations; iteration++)
        for (uint turn = 0u; turn < params.turns; turn++)
            [[unroll]] for (uint round = 0u; round < OVERLAP_ROUNDS; round++) {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
            }
    results[params.workload * params.stride + id] = x;
    return x;
}

void write_record(uint number, uvec2 start, uvec2 end, uint group)
{
    const uint at = (params.first_record + number) * OVERLAP_RECORD_WORDS;
    records[at + OVERLAP_RECORD_START] = start.x;
    records[at + OVERLAP_RECORD_START + 1u] = start.y;
    records[at + OVERLAP_RECORD_END] = end.x;
    records[at + OVERLAP_RECORD_END + 1u] = end.y;
    records[at + OVERLAP_RECORD_GROUP] = group;
    records[at + OVERLAP_RECORD_CORE] = core_id();
    records[at + OVERLAP_RECORD_TOKEN] = params.token;
}

#endif
