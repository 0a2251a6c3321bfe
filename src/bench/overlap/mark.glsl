// SPDX-License-Identifier: MIT
// Words in host memory that tell the host, while the device works, that a workload has begun and that
// it has ended: marker.h.
#ifndef BENCH_OVERLAP_MARK_GLSL
#define BENCH_OVERLAP_MARK_GLSL

#include "bench/overlap/work.glsl"

layout(set = 0, binding = 2, std430) coherent buffer Counters
{
    uint counters[]; // of each workload: parts that began, that ended
};

layout(set = 0, binding = 3, std430) volatile coherent buffer Markers
{
    uint markers[];
};

// For some parts of the workload that come to this place: tells the host where just `before` of the
// frame's parts were there before them. The clock is read on both sides of that write: a thread can
// stand still between the workload's first or last stamp and its marker.
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
