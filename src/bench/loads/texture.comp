// SPDX-License-Identifier: MIT
#version 460
// Every thread loads a tile of 16 × 16 texels and adds them up.
//
// -DRESOURCE=LOADS_TEXEL (no sampler), LOADS_SAMPLED …: what the kernel loads from (loads.h)
// -DWIDTH=1|2|4: channels per load  -DINTEGER=1: values are integers, not floats
// -DUNIFORM=1: all threads load the same tile; 0: a parameter sets each thread's first texel
// -DSAMPLED_SHAPE=1: normalised coordinates; 0: texel numbers
// -DFORMAT=…: format of LOADS_TEXEL_RW  -DLEVEL=…: level of detail that LOADS_SAMPLED reads
// -DPEAK=1: eight loads share the arithmetic of a coordinate, and are in flight together
// -DPEAK=0: one load per turn of the loops, as in the published tool (perftest)
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/loads/loads.h"

#if RESOURCE == LOADS_NOTHING
#define PROOF_BINDING 0
#else
#define PROOF_BINDING 1
#endif
#include "bench/loads/params.glsl"

#if SAMPLED_SHAPE // coordinates are normalised; params.centre sets the sampled point of a texel
#define COORDINATES  vec2
#define PLACE(texel) (vec2(texel) * (1.0 / LOADS_SIDE) + params.centre)
#else
#define COORDINATES  uvec2
#define PLACE(texel) (texel)
#endif

#ifndef LEVEL
#define LEVEL 0
#endif

#if RESOURCE == LOADS_SAMPLED
layout(set = 0, binding = 0) uniform sampler2D source;
#define LOAD(at, below) textureLodOffset(source, at, LEVEL, ivec2(0, below)) CHANNELS
#define LOAD_ONE(at)    textureLod(source, at, LEVEL) CHANNELS
#elif RESOURCE == LOADS_STRETCHED
layout(set = 0, binding = 0) uniform sampler2D source;
// The footprint of an anisotropic sample is a little less than LOADS_ANISOTROPY texels long and one
// texel wide. An isotropic filter for that length would read level of detail 2.
#define LONG_SIDE  vec2((LOADS_ANISOTROPY - 0.1) / LOADS_SIDE, 0)
#define SHORT_SIDE vec2(0, 0.9 / LOADS_SIDE)
#define LOAD(at, below)                                                                            \
    textureGradOffset(source, at, LONG_SIDE, SHORT_SIDE, ivec2(0, below)) CHANNELS
#elif RESOURCE == LOADS_TRILINEAR
layout(set = 0, binding = 0) uniform sampler2D source;
// textureLodOffset is not used: its offset counts texels of each level, which differ in size.
#define LOAD(at, below) textureLod(source, at + vec2(0, (below) * (1.0 / LOADS_SIDE)), 0.5) CHANNELS
#elif RESOURCE == LOADS_LEVELS
layout(set = 0, binding = 0) uniform sampler2D source;
#define LOAD(at, below)                                                                            \
    textureLod(source, at + vec2(0, (below) * (1.0 / LOADS_SIDE)),                                 \
               float(gl_LocalInvocationIndex & 1)) CHANNELS
#elif RESOURCE == LOADS_ARRAY
layout(set = 0, binding = 0) uniform sampler2DArray source;
#define LOAD(at, below)                                                                            \
    textureLodOffset(source, vec3(at, LOADS_READ_LAYER), 0, ivec2(0, below)) CHANNELS
#elif RESOURCE == LOADS_VOLUME
layout(set = 0, binding = 0) uniform sampler3D source;
#define SLICE           ((LOADS_READ_LAYER + 0.5) / LOADS_DEPTH)
#define LOAD(at, below) textureLodOffset(source, vec3(at, SLICE), 0, ivec3(0, below, 0)) CHANNELS
#elif RESOURCE == LOADS_CUBE
layout(set = 0, binding = 0) uniform samplerCube source;
// Samples face +Y of the cube. Its coordinates x / y and z / y go from −1 to 1.
#define LOAD(at, below)                                                                            \
    textureLod(source, vec3(at.x * 2 - 1, 1, (at.y * 2 - 1) + (below) * (2.0 / LOADS_SIDE)), 0)    \
        CHANNELS
#elif RESOURCE == LOADS_GATHER
layout(set = 0, binding = 0) uniform sampler2D source;
#define LOAD(at, below) textureGatherOffset(source, at, ivec2(0, below), 0)
#elif RESOURCE == LOADS_TEXEL_RW
layout(set = 0, binding = 0, FORMAT) readonly restrict uniform image2D source;
#define LOAD(at, below) imageLoad(source, ivec2(at) + ivec2(0, below)) CHANNELS
#elif RESOURCE == LOADS_TEXEL
#if INTEGER
layout(set = 0, binding = 0) uniform utexture2D source;
#else
layout(set = 0, binding = 0) uniform texture2D source;
#endif
// texelFetchOffset is not used, because it halves the rate on an H200.
#define LOAD(at, below) texelFetch(source, ivec2(at) + ivec2(0, below), 0) CHANNELS
#define LOAD_ONE(at)    texelFetch(source, ivec2(at), 0) CHANNELS
#else // no load: the kernel adds up the coordinates instead of texels
#if SAMPLED_SHAPE
#define LOAD(at, below) VECTOR(at.x + (at.y + (below) * (1.0 / LOADS_SIDE)))
#else
#define LOAD(at, below) VECTOR(uintBitsToFloat(at.x | (at.y + (below))))
#endif
#define LOAD_ONE(at) LOAD(at, 0)
#endif

void main()
{
    uint id = gl_LocalInvocationIndex;
    uvec2 first = uvec2(first_element(gl_LocalInvocationID.x, 2 * id),
                        first_element(gl_LocalInvocationID.y, 2 * id + 1));
    VECTOR sum = FIRST_SUM;
#if PEAK
    [[dont_unroll]] for (uint i = 0; i < LOADS_A_THREAD / LOADS_FLIGHT; i++)
    {
        // Each turn loads eight texels of a column. `texel` is the fifth of them, so their offsets
        // from it are −4 to 3.
        uvec2 texel =
            first + uvec2(i % LOADS_TILE, i / LOADS_TILE * LOADS_FLIGHT + LOADS_FLIGHT / 2);
        COORDINATES at = PLACE((texel | params.mask));
        // The eight loads are written out, because their offsets must be constants; the variable of
        // a loop is not a constant.
        VECTOR loaded[LOADS_FLIGHT] = {LOAD(at, -4), LOAD(at, -3), LOAD(at, -2), LOAD(at, -1),
                                       LOAD(at, 0),  LOAD(at, 1),  LOAD(at, 2),  LOAD(at, 3)};
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++) sum += loaded[k];
    }
#else
    [[dont_unroll]] for (uint y = 0; y < LOADS_TILE; y++)
    {
        [[dont_unroll]] for (uint x = 0; x < LOADS_TILE; x++)
        {
            COORDINATES at = PLACE(((first + uvec2(x, y)) | params.mask));
            sum += LOAD_ONE(at);
        }
    }
#endif
    prove(weigh(FLOATS(sum)));
}
