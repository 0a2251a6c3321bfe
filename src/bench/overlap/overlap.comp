// SPDX-License-Identifier: MIT
#version 460
// Runs one workload as a dispatch. Each workgroup records when and on which core it ran.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/overlap/mark.glsl"

void main()
{
    const uvec2 start = clock_device();
    if (gl_LocalInvocationIndex == 0u)
        mark(0u, 1u, 0u);
    work(gl_GlobalInvocationID.x, start);

    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex != 0u)
        return;
    mark(1u, 1u, params.parts - 1u);
    write_record(gl_WorkGroupID.x, start, end, gl_WorkGroupID.x);
}
