// SPDX-License-Identifier: MIT
// The colours that a layer gives to a pixel, as raster.h describes them.
#ifndef BENCH_RASTER_PATTERN_GLSL
#define BENCH_RASTER_PATTERN_GLSL

#include "bench/raster/raster.h"

uint pixel_word(uvec2 at)
{
    uint word = at.x * RASTER_X + at.y * RASTER_Y;
    return word ^ (word >> 15);
}

vec4 layer_cover(uint word, uint layer)
{
    return unpackUnorm4x8(word ^ ((layer + 1) * RASTER_X));
}

float layer_bit(uint word, uint layer)
{
    return float((word >> layer) & 1);
}

#endif
