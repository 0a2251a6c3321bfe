// SPDX-License-Identifier: MIT
#version 460
// Reads: every thread has LOADS loads in flight and adds up the bits of what comes. The sum is of
// integers, so that order does not matter and the rate of floating-point units does not either.
//
// -DBYTES=4|8|16 a load  -DDOUBLE=0|1 the element's type  -DLOADS=… in flight
// -DACCESS_ADDRESS=0|1  -DBYPASS=0|1 past the core's cache
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
