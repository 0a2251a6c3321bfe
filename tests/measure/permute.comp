// SPDX-License-Identifier: MIT
#version 450
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/permute.glsl"

layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y, local_size_z = WORKGROUP_Z) in;

layout(set = 0, binding = 0) writeonly buffer Out
{
    uint places[];
};

layout(push_constant) uniform Params
{
    uint first, n, key;
};

void main()
{
    places[gl_GlobalInvocationID.x] = permute(first + gl_GlobalInvocationID.x, n, key);
}
