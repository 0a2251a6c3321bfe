// SPDX-License-Identifier: MIT
#version 460
// Computes target = factor × source, one element per thread: the smallest kernel that moves data.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    vec2 source[];
};

layout(set = 0, binding = 1, std430) writeonly restrict buffer Target
{
    vec2 target[];
};

layout(push_constant) uniform Params
{
    uint count;
    float factor;
}
params;

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = group * WORKGROUP_X + gl_LocalInvocationIndex;
    if (i < params.count)
        target[i] = params.factor * source[i];
}
