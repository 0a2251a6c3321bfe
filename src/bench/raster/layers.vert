// SPDX-License-Identifier: MIT
// Makes one triangle per instance. Each triangle is a layer: it covers the whole target. One layer
// may be a small triangle in the target's corner that is nearer than all others.
#version 460

layout(push_constant) uniform Params
{
    float farthest; // depth of the first instance
    float nearer;   // how much nearer each instance is than the one before
    uint seen;      // 1 + the number of the instance that is the small triangle; 0: none
    float leg;      // length of the small triangle's two shorter sides, in the target's coordinates
} params;

layout(location = 0) out flat uint value;

void main()
{
    value = gl_InstanceIndex;
    bool small = value + 1 == params.seen;
    float leg = small ? params.leg : 4.0;
    float depth = small ? 0.0 : params.farthest - params.nearer * float(gl_InstanceIndex);
    gl_Position = vec4(leg * vec2(gl_VertexIndex == 1, gl_VertexIndex == 2) - 1.0, depth, 1.0);
}
