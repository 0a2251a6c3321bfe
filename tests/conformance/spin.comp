// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Params { uint rounds; };

#define STEP   x = (x ^ (x >> 15)) * 1664525u + 1013904223u;
#define STEP8  STEP STEP STEP STEP STEP STEP STEP STEP
#define STEP64 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8

// Work in proportion to `rounds` that cannot be shortened: a chain of x → 1664525 · x + 1013904223
// (Numerical Recipes' generator) with a twist that keeps it from being folded into one step. It is
// written out because of gpu_limits.loop_iterations.
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = words[i];
    for (uint round = 0; round < rounds; round++) {
        STEP64
    }
    words[i] = x;
}
