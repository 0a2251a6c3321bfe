// SPDX-License-Identifier: MIT
// One triangle over the upper left half of the target, its corners clockwise from the upper left;
// with `flip` the other way round.
#version 450

layout(push_constant) uniform Params {
    vec4 color;
    float depth;
    uint flip;
}
params;

layout(location = 0) out flat vec4 color;

void main()
{
    int corner = params.flip != 0 ? 2 - gl_VertexIndex : gl_VertexIndex;
    color = params.color;
    gl_Position = vec4(corner == 1 ? 1.0 : -1.0, corner == 2 ? 1.0 : -1.0, params.depth, 1.0);
}
