// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Params { uint count; };

// to[i] = 3 · from[count − 1 − i] + 1: each thread needs what another one wrote the time before.
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        to[i] = from[count - 1 - i] * 3 + 1;
}
