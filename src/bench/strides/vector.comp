// SPDX-License-Identifier: MIT
#version 460
// Loads memory that fits the core's own cache, in a pattern that is a parameter. `turn` is 0, but
// compilers do not know that, so they repeat all loads in every turn of the loop.
//
// -DBYTES=4|8|16: bytes per load  -DLOADS=…: number of loads that a thread has in flight
// -DAFTER=STRIDES_AFTER_…: where these loads lie (strides.h)
// -DACCESS_ADDRESS=1: the kernel loads by a 64-bit address; 0: from a storage buffer
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/prelude/access.glsl"
#include "bench/strides/strides.h"

#if BYTES == 16
#define ELEMENT uvec4
#define FOLD(v) ((v).x + (v).y + (v).z + (v).w)
#elif BYTES == 8
#define ELEMENT uvec2
#define FOLD(v) ((v).x + (v).y)
#else
#define ELEMENT uint
#define FOLD(v) (v)
#endif

STREAM(Source, readonly restrict, ELEMENT, BYTES, 0)

// The words hold the sum of each thread, and then the number of workgroups that have ended.
layout(set = 0, binding = 1 - ACCESS_ADDRESS, std430) buffer Words
{
    uint words[];
};

layout(push_constant) uniform Params
{
    STREAM_PARAM(Source)
    uint across, step, pitch, turn, turns;
} params;


void main()
{
    uint t = gl_LocalInvocationIndex;
    uint at = t % params.across * params.step + t / params.across % STRIDES_ROWS * params.pitch;
    ELEMENT sum = ELEMENT(0);
    for (uint i = 0; i < params.turns; i++) {
        [[unroll]] for (uint k = 0; k < STRIDES_TURN_LOADS; k += LOADS, at += params.turn) {
            STREAM_CURSOR(Source, from, at, BYTES);
            ELEMENT values[LOADS];
            [[unroll]] for (uint f = 0; f < LOADS; f++)
                values[f] = STREAM_AT(Source, from, AFTER(f, BYTES));
            [[unroll]] for (uint f = 0; f < LOADS; f++)
                sum += values[f];
        }
    }
    words[t] += FOLD(sum);
    if (t == 0)
        words[STRIDES_THREADS]++;
}
