// SPDX-License-Identifier: MIT
#version 460
// Nothing but a sign of life: one thread counts itself.
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
