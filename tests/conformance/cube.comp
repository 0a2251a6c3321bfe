// SPDX-License-Identifier: MIT
// The texel in the middle of each face of a cube: +x −x +y −y +z −z.
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) uniform usamplerCube texels;
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= 6)
        return;
    vec3 direction = vec3(0);
    direction[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
    to[i] = textureLod(texels, direction, 0.0).x;
}
