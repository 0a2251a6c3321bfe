// SPDX-License-Identifier: MIT
#version 460
// Reads shared memory. The workgroup fills its array with the data of a seed. Then each row of
// threads (bandwidth.h) walks through the array in laps, as in read.comp.
//
// -DBYTES=4|8|16: bytes per load  -DLOADS=…: loads in flight
#define DOUBLE 0
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/bandwidth/data.glsl"
#include "bench/bandwidth/element.glsl"
#include "bench/bandwidth/walk.glsl"
#define WORDS_BINDING 0
#include "bench/bandwidth/bandwidth.h"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.glsl"

layout(push_constant) uniform Params
{
    WALK_PARAMS
} params;

shared ELEMENT pool[BANDWIDTH_SHARED_BYTES / BYTES];

void fill(uint element)
{
    vec4 data = uintBitsToFloat(data_words(element, params.seed));
#if BYTES == 16
    pool[element] = data;
#elif BYTES == 8
    pool[2 * element] = data.xy;
    pool[2 * element + 1] = data.zw;
#else
    for (int k = 0; k < 4; k++)
        pool[4 * element + k] = data[k];
#endif
}

void main()
{
    uint group = walk_group();
    if (group >= params.groups)
        return;
    for (uint e = gl_LocalInvocationIndex; e < BANDWIDTH_SHARED_BYTES / 16; e += WORKGROUP_THREADS)
        fill(e);
    barrier();
    uint at = WALK_ENTER(group);
    SUM sum = SUM(0);
    for (uint i = 0; i < params.steps; i++) {
        uint first = at * (LOADS * BANDWIDTH_LANES) + walk_lane();
        ELEMENT values[LOADS];
        [[unroll]] for (int k = 0; k < LOADS; k++)
            values[k] = pool[first + k * BANDWIDTH_LANES];
        [[unroll]] for (int k = 0; k < LOADS; k++)
            sum += BITS(values[k]);
        WALK_ON(at);
    }
    words_add(group, FOLD(sum));
}
