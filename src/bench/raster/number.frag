// SPDX-License-Identifier: MIT
// Gives each pixel the number of the triangle that covers it, plus 1, as its colour. If the macro
// COUNT is defined, all channels of the colour are 1, and blending adds up one for each draw.
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
