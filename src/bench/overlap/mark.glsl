// SPDX-License-Identifier: MIT
// Markers are words in host memory. They show the host, while the device works, that a workload has
// begun or has ended. frame.h describes them.
#ifndef BENCH_OVERLAP_MARK_GLSL
#define BENCH_OVERLAP_MARK_GLSL

#include "bench/overlap/work.glsl"

layout(set = 0, binding = 2, std430) coherent buffer Counters
{
    // Two counters per workload: how many of its parts (workgroups, or pixels of a draw) have
    // begun, and how many have ended.
    uint counters[];
};

layout(set = 0, binding = 3, std430) volatile coherent buffer Markers
{
    uint markers[];
};

// In a frame with markers, adds `parts` to the counter of the workload's parts that have begun
// (`place` 0) or ended (`place` 1). If `before` parts of this frame were counted before, writes the
// marker. Reads the clock before and after this write, because a thread may pause between its stamp
// and its marker.
void mark(uint place, uint parts, uint before)
{
    const uint at = params.workload * 2u + place;
    if (params.marked == 0u || atomicAdd(counters[at], parts) != params.count + before)
        return;
    const uvec2 since = clock_device();
    memoryBarrierBuffer();
    markers[at * OVERLAP_MARKER_WORDS] = params.token;
    memoryBarrierBuffer();
    const uvec2 until = clock_device();
    markers[at * OVERLAP_MARKER_WORDS + OVERLAP_MARKER_SINCE] = since.x;
    markers[at * OVERLAP_MARKER_WORDS + OVERLAP_MARKER_SINCE + 1u] = since.y;
    markers[at * OVERLAP_MARKER_WORDS + OVERLAP_MARKER_UNTIL] = until.x;
    markers[at * OVERLAP_MARKER_WORDS + OVERLAP_MARKER_UNTIL + 1u] = until.y;
}

#endif
