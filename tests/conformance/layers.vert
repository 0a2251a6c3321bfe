// SPDX-License-Identifier: MIT
// Instances are full-screen triangles, the first one farthest away; vertices past the third repeat
// them. Instance i has colour (i + 1) · step.
#version 450

layout(push_constant) uniform Params {
    vec4 step;
    float farthest, nearer; // depth of the first instance, and how much each next is nearer
}
params;

layout(location = 0) out flat vec4 color;

void main()
{
    int corner = gl_VertexIndex % 3;
    color = params.step * float(gl_InstanceIndex + 1);
    gl_Position = vec4(corner == 1 ? 3.0 : -1.0, corner == 2 ? 3.0 : -1.0,
                       params.farthest - params.nearer * float(gl_InstanceIndex), 1.0);
}
