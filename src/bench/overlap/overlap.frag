// SPDX-License-Identifier: MIT
#version 460
// A workload that is a draw. Each pixel does the work of one thread (work.glsl). Each subgroup
// leaves a record: when and on which core it ran, and how many pixels it drew. The number of the
// subgroup's first pixel is the index of its record. Helper threads, which only complete a quad of
// pixels, are not counted.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require

#include "bench/overlap/mark.glsl"

layout(location = 0) out vec4 color;

void main()
{
    const uvec2 start = clock_device();
    const uvec4 drawn = subgroupBallot(gl_SampleMaskIn[0] != 0);
    const uint pixels = subgroupBallotBitCount(drawn);
    const bool first = gl_SubgroupInvocationID == subgroupBallotFindLSB(drawn);
    if (first)
        mark(0u, pixels, 0u);
    const uint id = uint(gl_FragCoord.y) * OVERLAP_BLOCK_THREADS + uint(gl_FragCoord.x);
    const uint x = work(id, start);
    color = unpackUnorm4x8(x);

    subgroupBarrier();
    const uvec2 end = clock_device();
    if (!first)
        return;
    mark(1u, pixels, params.parts - pixels);
    write_record(id, start, end, pixels);
}
