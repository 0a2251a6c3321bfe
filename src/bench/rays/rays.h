// SPDX-License-Identifier: MIT
// What the host and the kernels of this benchmark share.
#ifndef BENCH_RAYS_RAYS_H
#define BENCH_RAYS_RAYS_H

#define RAYS_THREADS 64 /* rays of a workgroup */

/* Which rays are traced: */
#define RAYS_ROW     0 /* parallel rays along x, through a row of primitives */
#define RAYS_CAMERA  1 /* from one point through the pixels of a picture */
#define RAYS_ORDERED 2 /* from neighbouring points in all directions */
#define RAYS_RANDOM  3 /* the same rays in random order */
#define RAYS_CHAIN   4 /* each ray depends on what the ray before it hit */

/* Scenes in the unit cube: */
#define RAYS_SPHERES 0 /* a grid of spheres of RAYS_SPHERE triangles */
#define RAYS_SOUP    1 /* triangles at random places */
#define RAYS_THIN    2 /* the same, long and thin */
#define RAYS_BALLS   3 /* a grid of spheres, each of which is one box and a formula */

#define RAYS_SPHERE 128 /* triangles of a sphere: two for each of 8 x 8 squares */

/* How a kernel treats what its rays cross: */
#define RAYS_NONE    0 /* there is no ray: the control */
#define RAYS_OPAQUE  1 /* the nearest triangle is the hit */
#define RAYS_CULLED  2 /* the same, but triangles that are seen from behind do not count */
#define RAYS_COUNTED 3 /* the kernel counts each primitive, and none is a hit */
#define RAYS_ASKED   4 /* the kernel is asked about each primitive, and accepts it */

#define RAYS_UNWRITTEN 0xdeadbeefu /* candidates of a record that no ray wrote */
#define RAYS_SAMPLES   64          /* rays that are compared with every primitive */
#define RAYS_SLICES    64          /* workgroups per such ray, which share the primitives */

#endif
