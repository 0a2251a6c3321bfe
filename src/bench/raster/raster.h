// SPDX-License-Identifier: MIT
// Constants that the host and the kernels of `raster` share.
#ifndef BENCH_RASTER_RASTER_H
#define BENCH_RASTER_RASTER_H

#define RASTER_LAYERS 32 /* layers in one draw: triangles that each cover the whole target */

/* Pixel (x, y) has a word: x * RASTER_X + y * RASTER_Y, mixed (pixel_word in pattern.glsl). The
   patterns RASTER_COVER, RASTER_ADD and RASTER_ALPHA say which colour layer l draws there. */
#define RASTER_X     0x9e3779b1u
#define RASTER_Y     0x85ebca77u
#define RASTER_COVER 0 /* layer l draws the bytes of (pixel's word ^ (l + 1) * RASTER_X) */
#define RASTER_ADD   1 /* layer l draws 1/256 × bit l of the pixel's word; blending adds layers */
#define RASTER_ALPHA 2 /* layer l draws bit l of the pixel's word, with alpha 1/2 */
/* Patterns of images that are not made of layers: */
#define RASTER_NOTHING 3 /* all pixels are 0 */
#define RASTER_MESH    4 /* a pixel holds the number of its triangle, plus 1, as four bytes */
#define RASTER_COUNT   5 /* a pixel holds the number of draws that covered it */

#define RASTER_CHECK_THREADS 256
#define RASTER_CORES_MAX     1024

#endif
