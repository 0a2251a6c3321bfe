// SPDX-License-Identifier: MIT
#version 460
// When did it begin? One thread leaves the device's clock, read before all else, and counts itself.
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
