// SPDX-License-Identifier: MIT
#version 460
// Loads words of shared memory with a stride, which is a parameter. Lanes that use different words
// of the same bank must wait for each other.
//
// -DLOADS=…: number of loads that a thread has in flight
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/strides/strides.h"

// The words hold the sum of each thread, and then the number of workgroups that have ended.
layout(set = 0, binding = 0, std430) buffer Words
{
    uint words[];
};

layout(push_constant) uniform Params
{
    uint across, step, pitch, turn, turns;
} params;

shared uint pool[STRIDES_SHARED_WORDS];

uint data_word(uint i)
{
    uint h = i * STRIDES_MIX_STEP + STRIDES_MIX_SEED;
    h ^= h >> 15;
    return h * STRIDES_MIX_SCATTER;
}

void main()
{
    uint t = gl_LocalInvocationIndex;
    for (uint i = t; i < STRIDES_SHARED_WORDS; i += STRIDES_THREADS)
        pool[i] = data_word(i);
    barrier();
    uint at = t % params.across * params.step, sum = 0;
    for (uint i = 0; i < params.turns; i++) {
        [[unroll]] for (uint k = 0; k < STRIDES_TURN_LOADS; k += LOADS, at += params.turn) {
            uint values[LOADS];
            [[unroll]] for (uint f = 0; f < LOADS; f++)
                values[f] = pool[at + f * STRIDES_SHARED_APART];
            [[unroll]] for (uint f = 0; f < LOADS; f++)
                sum += values[f];
        }
    }
    words[t] += sum;
    if (t == 0)
        words[STRIDES_THREADS]++;
}
