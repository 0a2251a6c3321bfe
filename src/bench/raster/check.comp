// SPDX-License-Identifier: MIT
#version 460
// Compares every pixel of an image with its expected colour, and counts the pixels that differ.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/raster/pattern.glsl"

layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1, std430) buffer Result
{
    uint wrong, worst; // how many pixels are wrong, and the index of the first wrong pixel
};

layout(push_constant) uniform Params
{
    // For RASTER_ADD: what an addition of 1/256 really adds to each channel, in the image's format.
    vec4 unit;
    vec4 tolerance; // largest allowed error per channel; 1e9: the format lacks the channel
    uint pattern;
    uint width, height;
    // For RASTER_COVER: index of the last layer, whose colours the image must have. For
    // RASTER_COUNT: number of draws that covered a pixel, which the pixel must hold.
    uint layers;
    // For RASTER_MESH: numbers of columns and of cells in the grid of triangles. For RASTER_COUNT:
    // `cells` is the number of pixels that draws covered.
    uint columns, cells;
    uint triangles;
    uint hidden; // for RASTER_MESH: the first `hidden` triangles have no pixel
    uint side;   // for RASTER_MESH: number of pixels along a side of a cell
    // Number of pixels in the first row of a triangle (RASTER_COVER: of the small triangle in the
    // corner of the target, outside of which all pixels are 0). 0: layers cover the target.
    uint row;
} params;

vec4 mixed_layers(uint word)
{
    float color = 0;
    for (uint layer = 0; layer < RASTER_LAYERS; layer++)
        color = color * 0.5 + layer_bit(word, layer) * 0.5;
    return vec4(vec3(color), 0.5);
}

vec4 mesh_at(uvec2 at)
{
    uvec2 cell = at / params.side, within = at % params.side;
    uint number = cell.y * params.columns + cell.x;
    if (cell.x >= params.columns || number >= min(params.cells, params.triangles) ||
        within.x + within.y >= params.row)
        return vec4(0);
    uint rounds = (params.triangles - 1 - number) / params.cells;
    uint last = number + rounds * params.cells;
    return last < params.hidden ? vec4(0) : unpackUnorm4x8(last + 1);
}

vec4 expected_at(uvec2 at)
{
    switch (params.pattern) {
    case RASTER_COVER:
        if (params.row != 0 && at.x + at.y >= params.row)
            return vec4(0);
        return layer_cover(pixel_word(at), params.layers);
    case RASTER_ADD:
        return float(bitCount(pixel_word(at))) * params.unit;
    case RASTER_ALPHA:
        return mixed_layers(pixel_word(at));
    case RASTER_MESH:
        return mesh_at(at);
    case RASTER_COUNT:
        return vec4(at.y * params.width + at.x < params.cells ? params.layers : 0);
    }
    return vec4(0);
}

void main()
{
    uint number = gl_GlobalInvocationID.x;
    if (number >= params.width * params.height)
        return;
    uvec2 at = uvec2(number % params.width, number / params.width);
    vec4 off = abs(texelFetch(image, ivec2(at), 0) - expected_at(at));
    if (any(greaterThan(off, params.tolerance))) {
        atomicAdd(wrong, 1);
        atomicMin(worst, number);
    }
}
