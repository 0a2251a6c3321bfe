// SPDX-License-Identifier: MIT
// Writes texels of any format: channel c of texel i (row by row) is (4 · i + c) mod 256, over 255
// for floats.
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y) in;

#ifdef UINT
layout(set = 0, binding = 0) writeonly uniform uimage2D texels;
#else
layout(set = 0, binding = 0) writeonly uniform image2D texels;
#endif
layout(push_constant) uniform Params { uint width, height; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= width || at.y >= height)
        return;
    uvec4 value = (uvec4(4 * (at.y * width + at.x)) + uvec4(0, 1, 2, 3)) % 256;
#ifdef UINT
    imageStore(texels, ivec2(at), value);
#else
    imageStore(texels, ivec2(at), vec4(value) / 255.0);
#endif
}
