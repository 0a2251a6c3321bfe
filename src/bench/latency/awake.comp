// SPDX-License-Identifier: MIT
#version 460
// load=keep-awake: one workgroup that computes beside the chase until the chase ends. Every
// `repeats` steps it reads the chase's done word and the next block of a large buffer. So the core
// clock and the memory clock stay high. The reads are too rare to displace the chain from caches.
#include "bench/prelude/kernel.glsl"

#include "bench/latency/latency.h"
#include "bench/latency/params.glsl"

layout(set = 0, binding = 0, std430) coherent buffer Out
{
    uint result[LATENCY_OUT_WORDS];
};
layout(set = 0, binding = 1, std430) readonly buffer Stream
{
    uint words[];
};

void main()
{
    uint x = gl_LocalInvocationID.x;
    // At most `windows` turns, so that this loop ends even if the chase never does.
    for (uint i = 0u; i < params.windows; i++) {
        for (uint j = 0u; j < params.repeats; j++)
            x = x * 0x85ebca6bu + (x >> 13);
        x ^= words[(i % params.nodes) * (LATENCY_STRIDE_BYTES / 4) + gl_LocalInvocationID.x % 32u];
        if (atomicAdd(result[LATENCY_OUT_DONE], params.zero) == params.token)
            break;
    }
    if (x == params.never)
        result[LATENCY_OUT_WARM] = x;
}
