// SPDX-License-Identifier: MIT
// The colour is the number of the triangle. With -DCOUNT it is 1, and blending counts the draws.
#version 460

layout(location = 0) in flat uint value;
layout(location = 0) out vec4 color;

void main()
{
#ifdef COUNT
    color = vec4(1.0);
#else
    color = unpackUnorm4x8(value);
#endif
}
