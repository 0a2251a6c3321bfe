// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = WORKGROUP_X) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Params
{
    Words from, to;
    uint count, plus;
};

// to[i] = 3 · from[i] + plus
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        to.words[i] = from.words[i] * 3 + plus;
}
