// SPDX-License-Identifier: MIT
#version 460
// Shows when a kernel begins: first reads the device's clock, and then stores it. Also adds 1 to
// the count of kernels.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/launch/launch.h"

layout(set = 0, binding = 0, std430) buffer Count
{
    uint count;
};

layout(set = 0, binding = 1, std430) writeonly buffer Stamp
{
    uint stamp[];
};

void main()
{
    const uvec2 now = clock_device();
    if (gl_LocalInvocationIndex != 0)
        return;
    stamp[0] = now.x;
    stamp[1] = now.y;
    atomicAdd(count, 1);
}
