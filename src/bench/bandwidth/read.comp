// SPDX-License-Identifier: MIT
#version 460
// Reads memory. Every thread has LOADS loads in flight and adds up their bits as integers, so
// neither the order of the additions nor the rate of floating-point units matters.
//
// -DBYTES=4|8|16: bytes per load  -DDOUBLE=1: loads doubles; 0: floats  -DLOADS=…: loads in flight
// -DACCESS_ADDRESS=1: reads by a 64-bit address; 0: from a storage buffer
// -DBYPASS=1: loads bypass the core's cache
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/prelude/access.glsl"
#include "bench/bandwidth/element.glsl"
#include "bench/bandwidth/walk.glsl"

#if BYPASS
STREAM(Source, coherent readonly, ELEMENT, BYTES, 0)
#else
STREAM(Source, readonly restrict, ELEMENT, BYTES, 0)
#endif

#define WORDS_BINDING (1 - ACCESS_ADDRESS)
#include "bench/bandwidth/bandwidth.h"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.glsl"

layout(push_constant) uniform Params
{
    STREAM_PARAM(Source)
    WALK_PARAMS
} params;

void main()
{
    uint group = walk_group();
    if (group >= params.groups)
        return;
    uint place = WALK_PLACE(group), at = WALK_ENTER(group);
    SUM sum = SUM(0);
    for (uint i = 0; i < params.steps; i++) {
        STREAM_CURSOR(Source, from, (place + at) * (LOADS * BANDWIDTH_LANES) + walk_lane(), BYTES);
        ELEMENT values[LOADS];
        [[unroll]] for (int k = 0; k < LOADS; k++)
            values[k] = STREAM_AT(Source, from, k * BANDWIDTH_LANES);
        [[unroll]] for (int k = 0; k < LOADS; k++)
            sum += BITS(values[k]);
        WALK_ON(at);
    }
    words_add(group, FOLD(sum));
}
