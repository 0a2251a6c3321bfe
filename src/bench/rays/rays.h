// SPDX-License-Identifier: MIT
// What the host and the kernels of this benchmark share.
#ifndef BENCH_RAYS_RAYS_H
#define BENCH_RAYS_RAYS_H

#define RAYS_THREADS 64 /* number of rays, and so of threads, in a workgroup */

/* Kinds of rays: */
#define RAYS_ROW     0 /* parallel rays along x, through a row of primitives */
#define RAYS_CAMERA  1 /* rays from one point through the pixels of a picture */
#define RAYS_ORDERED 2 /* rays in all directions; neighbouring rays start close to each other */
#define RAYS_RANDOM  3 /* the rays of RAYS_ORDERED, in random order */
#define RAYS_CHAIN   4 /* each ray depends on the primitive that the ray before it hit */

/* Scenes in the unit cube: */
#define RAYS_SPHERES 0 /* a grid of spheres of RAYS_SPHERE triangles */
#define RAYS_SOUP    1 /* triangles at random places */
#define RAYS_THIN    2 /* long and thin triangles at random places */
#define RAYS_BALLS   3 /* a grid of spheres, each defined by a box and a formula */

#define RAYS_SPHERE 128 /* triangles of a sphere: two for each of 8 x 8 squares */

/* How a kernel treats what its rays cross: */
#define RAYS_NONE    0 /* the kernel traces no ray, to show what all its other work costs */
#define RAYS_OPAQUE  1 /* the nearest triangle is the hit */
#define RAYS_CULLED  2 /* the nearest triangle is the hit; those seen from behind are ignored */
#define RAYS_COUNTED 3 /* the kernel counts all crossed primitives and accepts none as a hit */
#define RAYS_ASKED   4 /* the kernel is called for each crossed primitive and accepts it as a hit */

#define RAYS_UNWRITTEN   0xdeadbeefu /* `candidates` of a hit record that no ray has written yet */
#define RAYS_SAMPLES     64          /* number of rays that are compared with every primitive */
#define RAYS_SAMPLE_STEP 37          /* an odd number; see check.comp */
#define RAYS_SLICES      64 /* workgroups per sampled ray; each takes a part of the primitives */

#endif
