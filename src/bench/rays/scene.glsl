// SPDX-License-Identifier: MIT
// The formulas of scenes and rays, for the kernels that make scenes, trace rays and check hits.
#ifndef BENCH_RAYS_SCENE_GLSL
#define BENCH_RAYS_SCENE_GLSL

#include "bench/rays/rays.h"

struct Scene {
    uint kind, count; // count: number of primitives
    uint side;        // RAYS_SPHERES and RAYS_BALLS: number of spheres along each edge of the grid
    float size;       // size of the triangles of RAYS_SOUP and RAYS_THIN
    float move;       // spheres and single triangles move by up to half of it along each axis
};

struct Triangle {
    vec3 a, b, c;
};

struct Ray {
    vec3 origin, direction;
};

uint hash(uint x)
{
    x = (x ^ x >> 16) * 0x9e3779b1u;
    x = (x ^ x >> 15) * 0x85ebca77u;
    return x ^ x >> 13;
}

vec3 point(uint seed)
{
    uint x = hash(seed), y = hash(x + 1), z = hash(y + 2);
    return vec3(x >> 8, y >> 8, z >> 8) / 16777216.0;
}

vec3 direction(uint seed)
{
    vec3 at = point(seed);
    float z = 2 * at.x - 1, angle = 6.2831853 * at.y, radius = sqrt(max(0, 1 - z * z));
    return normalize(vec3(radius * cos(angle), radius * sin(angle), z));
}

vec3 moved_by(Scene scene, uint object)
{
    return scene.move * (point(object ^ 0x5bd1e995u) - 0.5);
}

// Returns the centre (xyz) and the radius (w) of sphere number `sphere`.
vec4 sphere_of(Scene scene, uint sphere)
{
    uvec3 cell = uvec3(sphere, sphere / scene.side, sphere / (scene.side * scene.side)) %
                 scene.side;
    return vec4((vec3(cell) + 0.5) / scene.side + moved_by(scene, sphere), 0.3 / scene.side);
}

// Returns the point of the unit sphere that belongs to a corner of a grid of 8 × 8 squares. The
// grid is wrapped around the sphere like the faces of an octahedron.
vec3 on_sphere(uvec2 corner)
{
    vec2 at = vec2(corner) / 4 - 1;
    vec3 place = vec3(at, 1 - abs(at.x) - abs(at.y));
    if (place.z < 0)
        place.xy = (1 - abs(place.yx)) * vec2(at.x < 0 ? -1 : 1, at.y < 0 ? -1 : 1);
    return normalize(place);
}

Triangle sphere_triangle(Scene scene, uint i)
{
    vec4 sphere = sphere_of(scene, i / RAYS_SPHERE);
    uint square = i % RAYS_SPHERE / 2;
    uvec2 at = uvec2(square % 8, square / 8);
    vec3 corners[4] = vec3[](on_sphere(at), on_sphere(at + uvec2(1, 0)), on_sphere(at + uvec2(0, 1)),
                             on_sphere(at + 1));
    // The square is cut into two triangles along a diagonal: along the edge of the octahedron, if
    // one crosses the square.
    bool falling = (at.x < 4) == (at.y < 4), second = i % 2 == 1;
    vec3 a = corners[second ? 3 : 0], b = corners[second && !falling ? 2 : 1];
    vec3 c = corners[falling ? 2 : second ? 0 : 3];
    return Triangle(sphere.xyz + sphere.w * a, sphere.xyz + sphere.w * b,
                    sphere.xyz + sphere.w * c);
}

Triangle triangle_of(Scene scene, uint i)
{
    if (scene.kind == RAYS_SPHERES)
        return sphere_triangle(scene, i);
    vec3 a = point(2 * i) + moved_by(scene, i);
    vec3 along = direction(3 * i + 1), across = cross(along, direction(5 * i + 2));
    bool thin = scene.kind == RAYS_THIN;
    return Triangle(a, a + (thin ? 8 : 1) * scene.size * along,
                    a + (thin ? 0.1 : 1) * scene.size * across);
}

// ---------------------------------------------------------------- rays

// Returns every third bit of i, starting with bit 0, as one number.
uint third_bits(uint i)
{
    uint bits = 0;
    for (uint b = 0; b < 10; b++)
        bits |= (i >> 3 * b & 1) << b;
    return bits;
}

Ray camera_ray(uint i, uint rays_log2)
{
    uvec2 pixel = uvec2(0);
    for (uint b = 0; b < (rays_log2 + 1) / 2; b++)
        pixel |= (uvec2(i, i >> 1) >> 2 * b & 1) << b;
    vec2 at = (vec2(pixel) + 0.5) /
              vec2(1u << (rays_log2 + 1) / 2, 1u << rays_log2 / 2);
    vec3 eye = vec3(0.5, 0.5, -1.5);
    return Ray(eye, normalize(vec3(at, 0) - eye));
}

Ray inner_ray(uint i, uint rays_log2)
{
    uint order = i << 30 - rays_log2;
    vec3 cell = vec3(third_bits(order >> 2), third_bits(order >> 1), third_bits(order));
    float jitter = exp2(-float(rays_log2) / 3);
    return Ray(cell / 1024 + jitter * point(7 * i + 3), direction(11 * i + 5));
}

// Returns ray number i of 2^rays_log2 rays of the kind `rays`. `last` is the primitive that the ray
// before it hit; only RAYS_CHAIN uses it.
Ray ray_of(uint rays, uint i, uint rays_log2, uint last)
{
    uint scattered = i * 0x9e3779b1u & (1u << rays_log2) - 1;
    switch (rays) {
    case RAYS_ROW:
        return Ray(vec3(0, 0.8 * (point(i).yz - 0.5)), vec3(1, 0, 0));
    case RAYS_CAMERA:
        return camera_ray(i, rays_log2);
    case RAYS_ORDERED:
        return inner_ray(i, rays_log2);
    case RAYS_RANDOM:
        return inner_ray(scattered, rays_log2);
    }
    return Ray(point(hash(last) + i), direction(13 * i + last));
}

const float RAYS_FAR = 4096;

// Returns the distance at which the ray enters the sphere (if the ray starts inside: leaves it);
// negative if the ray misses the sphere.
float cross_sphere(Ray ray, vec4 sphere)
{
    vec3 to = sphere.xyz - ray.origin;
    float along = dot(to, ray.direction);
    vec3 off = to - along * ray.direction;
    float half_chord = sphere.w * sphere.w - dot(off, off);
    if (half_chord < 0)
        return -1;
    half_chord = sqrt(half_chord);
    return along > half_chord ? along - half_chord : along + half_chord;
}

#endif
