// SPDX-License-Identifier: MIT
// Every texel of a mip level of a 2-D image, row by row, as four words: floats by their bits.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = WORKGROUP_X) in;

#ifdef UINT
layout(set = 0, binding = 0) uniform utexture2D texels;
#else
layout(set = 0, binding = 0) uniform texture2D texels;
#endif
layout(set = 0, binding = 1) writeonly buffer To { uvec4 to[]; };
layout(push_constant) uniform Params { uint width, height, mip; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= width * height)
        return;
    ivec2 at = ivec2(i % width, i / width);
#ifdef UINT
    to[i] = texelFetch(texels, at, int(mip));
#else
    to[i] = floatBitsToUint(texelFetch(texels, at, int(mip)));
#endif
}
