// SPDX-License-Identifier: MIT
// Every texel as four words, floats by their bits; or, for AT, the one texel `count`.
#version 450
layout(local_size_x = WORKGROUP_X) in;

#ifdef UINT
layout(set = 0, binding = 0) uniform usamplerBuffer texels;
#else
layout(set = 0, binding = 0) uniform samplerBuffer texels;
#endif
layout(set = 0, binding = 1) writeonly buffer To { uvec4 to[]; };
layout(push_constant) uniform Params { uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
#ifndef AT
    if (i >= count)
        return;
#endif
#if defined(AT)
    to[i] = floatBitsToUint(texelFetch(texels, int(count)));
#elif defined(UINT)
    to[i] = texelFetch(texels, int(i));
#else
    to[i] = floatBitsToUint(texelFetch(texels, int(i)));
#endif
}
