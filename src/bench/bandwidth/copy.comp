// SPDX-License-Identifier: MIT
#version 460
// Copies elements of 16 bytes. In each step a thread loads LOADS elements before it stores the
// first one.
//
// -DLOADS=…  -DACCESS_ADDRESS=1: reaches both buffers by 64-bit addresses; 0: as storage buffers
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/prelude/access.glsl"
#include "bench/bandwidth/walk.glsl"

STREAM(Source, readonly restrict, vec4, 16, 0)
STREAM(Target, writeonly restrict, vec4, 16, 1)

#define WORDS_BINDING (2 - 2 * ACCESS_ADDRESS)
#include "bench/bandwidth/bandwidth.h"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.glsl"

layout(push_constant) uniform Params
{
    STREAM_PARAM(Source)
    STREAM_PARAM(Target)
    WALK_PARAMS
} params;

void main()
{
    uint group = walk_group();
    if (group >= params.groups)
        return;
    uint block = group * params.pitch + walk_row();
    for (uint i = 0; i < params.steps; i++, block += params.advance) {
        uint first = block * (LOADS * BANDWIDTH_LANES) + walk_lane();
        STREAM_CURSOR(Source, from, first, 16);
        STREAM_CURSOR(Target, to, first, 16);
        vec4 values[LOADS];
        [[unroll]] for (int k = 0; k < LOADS; k++)
            values[k] = STREAM_AT(Source, from, k * BANDWIDTH_LANES);
        [[unroll]] for (int k = 0; k < LOADS; k++)
            STREAM_AT(Target, to, k * BANDWIDTH_LANES) = values[k];
    }
    words_add_pass(group, params.groups - 1);
}
