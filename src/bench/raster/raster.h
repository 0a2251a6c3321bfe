// SPDX-License-Identifier: MIT
// What the host and the kernels of this benchmark share.
#ifndef BENCH_RASTER_RASTER_H
#define BENCH_RASTER_RASTER_H

#define RASTER_LAYERS 32 /* full-screen triangles on top of each other in one draw */

/* Pixel (x, y) has the word h = x * RASTER_X + y * RASTER_Y, mixed. Colours that layer l gives: */
#define RASTER_X     0x9e3779b1u
#define RASTER_Y     0x85ebca77u
#define RASTER_COVER 0 /* the four bytes of h ^ (l + 1) * RASTER_X */
#define RASTER_ADD   1 /* bit l of h, times 1/256; blending adds the layers up */
#define RASTER_ALPHA 2 /* bit l of h, with alpha 1/2 */
/* Other images: */
#define RASTER_NOTHING 3 /* zeros */
#define RASTER_MESH    4 /* the number of a triangle, plus one, in the four bytes */
#define RASTER_COUNT   5 /* a count in the first pixels */

#define RASTER_CHECK_THREADS 256
#define RASTER_CORES_MAX     1024

#endif
