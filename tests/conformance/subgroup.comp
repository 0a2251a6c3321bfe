// SPDX-License-Identifier: MIT
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) writeonly buffer Words { uint words[]; };

// The size of the subgroup that each thread finds itself in.
void main()
{
    words[gl_GlobalInvocationID.x] = gl_SubgroupSize;
}
