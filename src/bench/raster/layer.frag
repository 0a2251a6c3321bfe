// SPDX-License-Identifier: MIT
// Draws one layer. The macro PATTERN says which colour the layer gives to each pixel (raster.h).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bench/raster/pattern.glsl"

layout(location = 0) in flat uint value;
layout(location = 0) out vec4 color;

void main()
{
    uint word = pixel_word(uvec2(gl_FragCoord.xy));
#if PATTERN == RASTER_ADD
    color = vec4(layer_bit(word, value) / 256);
#elif PATTERN == RASTER_ALPHA
    color = vec4(vec3(layer_bit(word, value)), 0.5);
#else
    color = layer_cover(word, value);
#endif
}
