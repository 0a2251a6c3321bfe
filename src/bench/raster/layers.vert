// SPDX-License-Identifier: MIT
// Makes one triangle per instance. Each triangle is a layer: it covers the whole target.
#version 460

layout(push_constant) uniform Params
{
    float farthest; // depth of the first instance
    float nearer;   // how much nearer each instance is than the one before
} params;

layout(location = 0) out flat uint value;

void main()
{
    value = gl_InstanceIndex;
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0,
                       params.farthest - params.nearer * float(gl_InstanceIndex), 1.0);
}
