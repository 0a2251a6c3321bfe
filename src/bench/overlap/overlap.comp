// SPDX-License-Identifier: MIT
#version 460
// One workload as a dispatch: each workgroup records when it ran and where.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/overlap/work.glsl"

layout(set = 0, binding = 2, std430) coherent buffer Counters
{
    uint counters[]; // workgroups that began, that ended, of each workload
};

layout(set = 0, binding = 3, std430) volatile coherent buffer Markers
{
    uint markers[];
};

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
    work(gl_GlobalInvocationID.x, start);

    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex != 0u)
        return;
    mark(1u, gl_NumWorkGroups.x - 1u);
    write_record(gl_WorkGroupID.x, start, end, gl_WorkGroupID.x);
}
