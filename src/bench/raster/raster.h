// SPDX-License-Identifier: MIT
// Constants that the host and the kernels of `raster` share.
#ifndef BENCH_RASTER_RASTER_H
#define BENCH_RASTER_RASTER_H

#define RASTER_LAYERS 32 /* full-screen triangles on top of each other in one draw */

/* h: x * RASTER_X + y * RASTER_Y, mixed, for pixel (x, y). Colours that layer l draws there: */
#define RASTER_X     0x9e3779b1u
#define RASTER_Y     0x85ebca77u
#define RASTER_COVER 0 /* the four bytes of h ^ (l + 1) * RASTER_X as channels */
#define RASTER_ADD   1 /* bit l of h, times 1/256; blending adds all layers */
#define RASTER_ALPHA 2 /* bit l of h, with alpha 1/2 */
/* Images that are not made of layers: */
#define RASTER_NOTHING 3 /* all zeros */
#define RASTER_MESH    4 /* number of the triangle, plus one, as four bytes */
#define RASTER_COUNT   5 /* the first pixels hold a count */

#define RASTER_CHECK_THREADS 256
#define RASTER_CORES_MAX     1024

#endif
