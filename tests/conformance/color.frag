// SPDX-License-Identifier: MIT
#version 450

layout(location = 0) in flat vec4 color;
#ifdef UINT
layout(location = 0) out uvec4 result;
#else
layout(location = 0) out vec4 result;
#endif

void main()
{
#ifdef UINT
    result = uvec4(color);
#else
    result = color;
#endif
}
