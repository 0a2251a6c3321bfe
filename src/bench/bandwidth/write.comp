// SPDX-License-Identifier: MIT
#version 460
// Writes the data of a seed: LOADS elements of 16 bytes per thread and step.
//
// -DLOADS=…  -DACCESS_ADDRESS=1: reaches the target by a 64-bit address; 0: as a storage buffer
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/prelude/access.glsl"
#include "bench/bandwidth/data.glsl"
#include "bench/bandwidth/walk.glsl"

STREAM(Target, writeonly restrict, vec4, 16, 0)

#define WORDS_BINDING (1 - ACCESS_ADDRESS)
#include "bench/bandwidth/bandwidth.h"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.glsl"

layout(push_constant) uniform Params
{
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
        STREAM_CURSOR(Target, to, first, 16);
        [[unroll]] for (int k = 0; k < LOADS; k++)
            STREAM_AT(Target, to, k * BANDWIDTH_LANES) =
                uintBitsToFloat(data_words(first + k * BANDWIDTH_LANES, params.seed));
    }
    words_add_pass(group, params.groups - 1);
}
