// SPDX-License-Identifier: MIT
#version 460
// -DCHECK=0: fills a buffer with the data of launch.h, multiplied by `factor`. -DCHECK=1: counts
// the elements that differ from these products.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/launch/launch.h"

layout(set = 0, binding = 0, std430) buffer Range
{
    vec2 range[];
};

#if CHECK
layout(set = 0, binding = 1, std430) buffer Wrong
{
    uint wrong;
};
#endif

layout(push_constant) uniform Params
{
    uint count;
    float factor;
}
params;

vec2 element(uint i)
{
    uint mixed = i * LAUNCH_MIX;
    return uintBitsToFloat(uvec2(mixed, mixed >> 9) & LAUNCH_MANTISSA | LAUNCH_EXPONENT);
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = group * WORKGROUP_X + gl_LocalInvocationIndex;
    if (i >= params.count)
        return;
#if CHECK
    if (range[i] != params.factor * element(i))
        atomicAdd(wrong, 1);
#else
    range[i] = params.factor * element(i);
#endif
}
