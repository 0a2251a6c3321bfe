// SPDX-License-Identifier: MIT
// What kernels that trace rays have in common. The kernel must define uvec4 trace(Ray ray), which
// traces one ray. It returns the number of candidates (possible hits that the kernel was asked
// about), the primitive and the instance of the hit (all bits set: a miss), and the bits of the
// hit's distance. Kernels that are called during the tracing define PARAMS_ALONE first.
#ifndef BENCH_RAYS_TRACE_GLSL
#define BENCH_RAYS_TRACE_GLSL

#include "bench/rays/scene.glsl"

layout(push_constant) uniform Params
{
    uvec2 tree;
    uint rays, rays_log2; // kind of rays (RAYS_CAMERA …), and log2 of their number
    uint mask;            // rays ignore instances whose mask has no bit in common with this mask
    float start;          // added to the x coordinate of each ray's origin (except with CHAIN)
    Scene scene;          // the scene, needed for the formula of spheres
} params;

#ifndef PARAMS_ALONE
layout(set = 0, binding = 0) buffer Hits
{
    uvec4 hits[];
};

const uvec4 NO_HIT = uvec4(0, ~0u, ~0u, 0);

uvec4 trace(Ray ray);

void trace_at(uint i)
{
#ifdef CHAIN
    if (i > 0)
        return;
    uint last = 0;
    for (uint step = 0; step < 1u << params.rays_log2; step++) {
        uvec4 hit = trace(ray_of(RAYS_CHAIN, step, params.rays_log2, last));
        hits[step] = hit;
        last = hit.y;
    }
#else
    Ray ray = ray_of(params.rays, i, params.rays_log2, 0);
    ray.origin.x += params.start;
    hits[i] = trace(ray);
#endif
    // The element after the last hit counts the dispatches.
    if (i == 0)
        atomicAdd(hits[1u << params.rays_log2].x, 1);
}
#endif

#endif
