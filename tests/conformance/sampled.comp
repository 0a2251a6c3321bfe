// SPDX-License-Identifier: MIT
// The first channel of a float image at given normalised coordinates (and, for LOD, levels).
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) uniform sampler2D texels;
layout(set = 0, binding = 1) readonly buffer Coordinates { vec4 coordinates[]; };
layout(set = 0, binding = 2) writeonly buffer To { float to[]; };
layout(push_constant) uniform Params { uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
#ifdef LOD
    to[i] = textureLod(texels, coordinates[i].xy, coordinates[i].z).x;
#else
    to[i] = textureLod(texels, coordinates[i].xy, 0.0).x;
#endif
}
