// SPDX-License-Identifier: MIT
// Writes texels of any format: channel c of texel i is (4 · i + c) mod 256, over 255 for floats.
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = WORKGROUP_X) in;

#ifdef UINT
layout(set = 0, binding = 0) writeonly uniform uimageBuffer texels;
#else
layout(set = 0, binding = 0) writeonly uniform imageBuffer texels;
#endif
layout(push_constant) uniform Params { uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    uvec4 value = (uvec4(4 * i) + uvec4(0, 1, 2, 3)) % 256;
#ifdef UINT
    imageStore(texels, int(i), value);
#else
    imageStore(texels, int(i), vec4(value) / 255.0);
#endif
}
