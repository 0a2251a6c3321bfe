// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y, local_size_z = WORKGROUP_Z) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
void main() { words[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x; }
