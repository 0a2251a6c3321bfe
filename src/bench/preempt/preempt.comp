// SPDX-License-Identifier: MIT
#version 460
// The kernel of a load (hog, victim or application). Each workgroup computes for some time. Its
// first thread records when and on which core the workgroup ran, and the longest pause of the
// thread.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/preempt/work.glsl"

void main()
{
    const uvec2 start = clock_device();
    const uint group = params.first_group + gl_WorkGroupID.x;
    uint pause;
    const uint x = work(group, gl_LocalInvocationIndex, start, pause);
    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex == 0u && group % params.stride == 0u)
        write_record(group, start, end, pause, x);
}
