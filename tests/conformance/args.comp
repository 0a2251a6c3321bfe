// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = WORKGROUP_X) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Params
{
    Words a, d; // the address args in their order
    uint count, plus;
};
layout(set = 0, binding = 0) readonly buffer B { uint b[]; };
layout(set = 0, binding = 1, std140) uniform C { uvec4 c[16]; };
layout(set = 0, binding = 2) writeonly buffer E { uint e[]; };

// Kinds of argument mixed: e[i] = a[i] + 10 · b[i] + 100 · c[0].x + 1000 · d[i] + plus
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        e[i] = a.words[i] + 10 * b[i] + 100 * c[0].x + 1000 * d.words[i] + plus;
}
