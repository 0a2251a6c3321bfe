// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) writeonly buffer Words { uint words[]; };
layout(push_constant) uniform Params { uint count, factor, plus; };

// words[i] = i · factor + plus
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        words[i] = i * factor + plus;
}
