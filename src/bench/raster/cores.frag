// SPDX-License-Identifier: MIT
// Draws a layer, and counts how many pixels each core draws.
#version 460
#extension GL_GOOGLE_include_directive : require
#define CORE_ID 1
#include "bench/prelude/clock.glsl"
#include "bench/raster/pattern.glsl"

layout(location = 0) in flat uint value;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0, std430) buffer Cores
{
    uint pixels[];
};

void main()
{
    atomicAdd(pixels[min(core_id(), RASTER_CORES_MAX - 1)], 1);
    color = layer_cover(pixel_word(uvec2(gl_FragCoord.xy)), value);
}
