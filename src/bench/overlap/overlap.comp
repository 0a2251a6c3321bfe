// SPDX-License-Identifier: MIT
#version 460
// One workload: every thread mixes a word of its own, and each workgroup records when it ran and
// where. The word depends on the frame, on the thread, and on the words of the workloads that this
// one waits for: so the host can tell from it that the barrier let their writes through.
// frame.c holds the same formula.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/overlap/overlap.h"

layout(set = 0, binding = 0, std430) buffer Results
{
    uint results[];
};

layout(set = 0, binding = 1, std430) writeonly buffer Records
{
    uint records[];
};

layout(set = 0, binding = 2, std430) coherent buffer Counters
{
    uint counters[]; // workgroups that began, that ended, of each workload
};

layout(set = 0, binding = 3, std430) volatile coherent buffer Markers
{
    uint markers[];
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

// Tells the host, where this is number `last` of the workgroups that came to this place.
void mark(uint place, uint last)
{
    const uint at = params.workload * 2u + place;
    if (params.marked == 0u || atomicAdd(counters[at], 1u) != params.count + last)
        return;
    memoryBarrierBuffer();
    markers[at * OVERLAP_MARKER_WORDS] = params.token;
}

void main()
{
    const uvec2 start = clock_device();
    if (gl_LocalInvocationIndex == 0u)
        mark(0u, 0u);
    const uint id = gl_GlobalInvocationID.x;
    uint x = first_word(id) + (start.x & params.zero); // so that the work begins after the clock
    x |= uint(x == 0u);
    for (uint iteration = 0u; iteration < params.iterations; iteration++)
        for (uint turn = 0u; turn < params.turns; turn++)
            [[unroll]] for (uint round = 0u; round < OVERLAP_ROUNDS; round++) {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
            }
    results[params.workload * params.stride + id] = x;

    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex != 0u)
        return;
    mark(1u, gl_NumWorkGroups.x - 1u);
    const uint at = (params.first_record + gl_WorkGroupID.x) * OVERLAP_RECORD_WORDS;
    records[at + OVERLAP_RECORD_START] = start.x;
    records[at + OVERLAP_RECORD_START + 1u] = start.y;
    records[at + OVERLAP_RECORD_END] = end.x;
    records[at + OVERLAP_RECORD_END + 1u] = end.y;
    records[at + OVERLAP_RECORD_GROUP] = gl_WorkGroupID.x;
    records[at + OVERLAP_RECORD_CORE] = core_id();
    records[at + OVERLAP_RECORD_TOKEN] = params.token;
}
