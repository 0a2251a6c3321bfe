// SPDX-License-Identifier: MIT
// Every texel of an image that is not 2-D, in the order x, y, z (or layer), first channel.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = WORKGROUP_X) in;

#if SHAPE == 1
layout(set = 0, binding = 0) uniform utexture1D texels;
#elif SHAPE == 2
layout(set = 0, binding = 0) uniform utexture2DArray texels;
#else
layout(set = 0, binding = 0) uniform utexture3D texels;
#endif
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Params { uint width, height, depth; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= width * height * depth)
        return;
#if SHAPE == 1
    to[i] = texelFetch(texels, int(i), 0).x;
#else
    to[i] = texelFetch(texels, ivec3(i % width, i / width % height, i / width / height), 0).x;
#endif
}
