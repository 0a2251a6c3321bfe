// SPDX-License-Identifier: MIT
// Counts the pixels of each row.
#version 450

layout(location = 0) in flat vec4 color;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0, std430) buffer Rows {
    uint rows[];
};

void main()
{
    atomicAdd(rows[uint(gl_FragCoord.y)], 1);
    result = color;
}
