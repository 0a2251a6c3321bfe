// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) writeonly buffer Words { uint words[]; };
layout(push_constant) uniform Params { uint values[32]; };

// The largest params that gpu.h knows, word by word.
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < 32)
        words[i] = values[i];
}
