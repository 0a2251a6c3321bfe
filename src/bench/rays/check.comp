// SPDX-License-Identifier: MIT
#version 460
// Checks which primitives rays hit, by the formulas of the scene. With CHECK_ALL, each thread
// checks that the hit of one ray lies on its primitive. Otherwise each thread compares one of
// RAYS_SAMPLES rays with a part of the primitives: none may be nearer than the hit of the ray.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/rays/scene.glsl"

layout(set = 0, binding = 0) readonly buffer Hits
{
    uvec4 hits[];
};
layout(set = 0, binding = 1) buffer Result
{
    // `first` is the lowest number of a ray that is unwritten or wrong.
    uint unwritten, wrong, misses, first;
    uint compared; // how often a ray was compared with a primitive
};

layout(push_constant) uniform Params
{
    uint rays, rays_log2;
    // 1: the tree has instances, so the number of a hit instance is that of the primitive.
    uint instances;
    Scene scene;
} params;

const float NEAR = 2e-5; // tolerance for rounding errors of floats in the unit cube

// Returns how far inside the triangle a point of its plane is: the smallest distance from an edge;
// negative if the point is outside.
float depth_in(Triangle triangle, vec3 normal, vec3 at)
{
    vec3 corners[3] = vec3[](triangle.a, triangle.b, triangle.c);
    float least = 1e9;
    for (int i = 0; i < 3; i++) {
        vec3 edge = corners[(i + 1) % 3] - corners[i];
        least = min(least, dot(normalize(cross(normal, edge)), at - corners[i]));
    }
    return least;
}

vec3 normal_of(Triangle triangle)
{
    return normalize(cross(triangle.b - triangle.a, triangle.c - triangle.a));
}

bool is_on(Ray ray, uint primitive, float distance)
{
    vec3 at = ray.origin + distance * ray.direction;
    if (params.scene.kind == RAYS_BALLS) {
        vec4 sphere = sphere_of(params.scene, primitive);
        return abs(length(at - sphere.xyz) - sphere.w) < NEAR;
    }
    Triangle triangle = triangle_of(params.scene, primitive);
    vec3 normal = normal_of(triangle);
    return abs(dot(normal, at - triangle.a)) < NEAR && depth_in(triangle, normal, at) > -NEAR;
}

// Returns the distance at which the ray certainly crosses the primitive; negative if the ray may
// miss it.
float sure_distance(Ray ray, uint primitive)
{
    if (params.scene.kind == RAYS_BALLS) {
        vec4 sphere = sphere_of(params.scene, primitive);
        float outside = length(ray.origin - sphere.xyz) - sphere.w;
        // A ray from outside enters a smaller sphere later; a ray from inside leaves a larger sphere
        // later. From a start near the surface the ray may do either.
        sphere.w -= NEAR * sign(outside);
        return abs(outside) < NEAR ? -1 : cross_sphere(ray, sphere);
    }
    Triangle triangle = triangle_of(params.scene, primitive);
    vec3 normal = normal_of(triangle);
    float slope = dot(normal, ray.direction);
    if (abs(slope) < 0.01)
        return -1;
    float distance = dot(normal, triangle.a - ray.origin) / slope;
    bool inside = depth_in(triangle, normal, ray.origin + distance * ray.direction) > NEAR;
    return inside ? distance : -1;
}

Ray ray_at(uint i)
{
    uint last = i > 0 && params.rays == RAYS_CHAIN ? hits[i - 1].y : 0;
    return ray_of(params.rays, i, params.rays_log2, last);
}

uint primitive_at(uint i)
{
    return params.instances != 0 ? hits[i].z : hits[i].y;
}

void report(uint ray)
{
    atomicAdd(wrong, 1);
    atomicMin(first, ray);
}

#ifdef CHECK_ALL
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= 1u << params.rays_log2)
        return;
    uint primitive = primitive_at(i);
    if (hits[i].x == RAYS_UNWRITTEN) {
        atomicAdd(unwritten, 1);
        atomicMin(first, i);
    } else if (primitive == ~0u) {
        atomicAdd(misses, 1);
    } else if (primitive >= params.scene.count ||
               !is_on(ray_at(i), primitive, uintBitsToFloat(hits[i].w))) {
        report(i);
    }
}
#else
void main()
{
    // One ray of each share of the rays. Its place in the share differs, so that rays of different
    // threads of a subgroup are compared.
    uint share = (1u << params.rays_log2) / RAYS_SAMPLES;
    uint i = gl_WorkGroupID.y * share + gl_WorkGroupID.y * RAYS_SAMPLE_STEP % share;
    Ray ray = ray_at(i);
    float distance = primitive_at(i) == ~0u ? RAYS_FAR : uintBitsToFloat(hits[i].w);
    uint primitives = 0;
    for (uint p = gl_GlobalInvocationID.x; p < params.scene.count; p += RAYS_SLICES * RAYS_THREADS) {
        primitives++;
        float other = sure_distance(ray, p);
        if (other > NEAR && other < distance - 4 * NEAR)
            report(i);
    }
    atomicAdd(compared, primitives);
}
#endif
