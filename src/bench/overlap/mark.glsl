// SPDX-License-Identifier: MIT
// Markers: words in host memory that tell the host, while the device works, that a workload has
// begun or that it has ended. frame.h describes them.
#ifndef BENCH_OVERLAP_MARK_GLSL
#define BENCH_OVERLAP_MARK_GLSL

#include "bench/overlap/work.glsl"

layout(set = 0, binding = 2, std430) coherent buffer Counters
{
    uint counters[]; // two per workload: parts that began, parts that ended
};

layout(set = 0, binding = 3, std430) volatile coherent buffer Markers
{
    uint markers[];
};

// Counts `parts` more parts of the workload that began (`place` 0) or ended (`place` 1). Writes the
// marker if exactly `before` parts of this frame were counted earlier. Reads the clock before and
// after that write, because a thread can stand still between its stamp and its marker.
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
