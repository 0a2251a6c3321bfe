// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0, std140) uniform Table { uvec4 table[1024]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Params { uint count; };

// to[i] = word i of the constants
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        to[i] = table[i / 4][i % 4];
}
