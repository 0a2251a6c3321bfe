// SPDX-License-Identifier: MIT
#version 460
// An empty kernel. One thread adds 1 to a counter, which proves that the kernel ran.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

layout(set = 0, binding = 0, std430) buffer Count
{
    uint count;
};

void main()
{
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(count, 1);
}
