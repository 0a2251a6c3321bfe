// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y, local_size_z = WORKGROUP_Z) in;

layout(set = 0, binding = 0) writeonly buffer Words { uint words[]; };

// Each thread of the grid writes z · 10000 + y · 100 + x at its place.
void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 id = gl_GlobalInvocationID;
    words[(id.z * size.y + id.y) * size.x + id.x] = id.z * 10000 + id.y * 100 + id.x;
}
