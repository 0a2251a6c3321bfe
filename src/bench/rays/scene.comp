// SPDX-License-Identifier: MIT
#version 460
// Writes the primitives of a scene, which are the input for building its tree.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/rays/scene.glsl"

layout(set = 0, binding = 0) buffer Input
{
    float values[]; // the primitives: 9 words per triangle, 6 per box, 16 per instance
};

layout(push_constant) uniform Params
{
    // 0: the kernel writes triangles or boxes. Otherwise the address of a tree with one triangle:
    // the kernel writes instances of that tree in place of triangles.
    uvec2 tree;
    Scene scene;
} params;

void put(uint at, vec3 value)
{
    values[at] = value.x;
    values[at + 1] = value.y;
    values[at + 2] = value.z;
}

// Writes instance number i, which transforms the triangle (0,0,0) (1,0,0) (0,1,0) to `triangle`.
void put_instance(uint i, Triangle triangle)
{
    vec3 x = triangle.b - triangle.a, y = triangle.c - triangle.a;
    vec3 z = normalize(cross(x, y)) * length(x);
    for (uint row = 0; row < 3; row++) {
        put(16 * i + 4 * row, vec3(x[row], y[row], z[row]));
        values[16 * i + 4 * row + 3] = triangle.a[row];
    }
    values[16 * i + 12] = uintBitsToFloat(i | 0xff000000u);
    values[16 * i + 13] = 0;
    values[16 * i + 14] = uintBitsToFloat(params.tree.x);
    values[16 * i + 15] = uintBitsToFloat(params.tree.y);
}

void main()
{
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 32768 * RAYS_THREADS;
    if (i >= params.scene.count)
        return;
    if (params.scene.kind == RAYS_BALLS) {
        vec4 sphere = sphere_of(params.scene, i);
        put(6 * i, sphere.xyz - sphere.w);
        put(6 * i + 3, sphere.xyz + sphere.w);
        return;
    }
    Triangle triangle = triangle_of(params.scene, i);
    if (params.tree != uvec2(0)) {
        put_instance(i, triangle);
        return;
    }
    put(9 * i, triangle.a);
    put(9 * i + 3, triangle.b);
    put(9 * i + 6, triangle.c);
}
