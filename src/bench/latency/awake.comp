// SPDX-License-Identifier: MIT
#version 460
// The kernel of load=keep-awake. One workgroup runs beside the chase and computes until the chase
// ends. That keeps the core clock and the memory clock high. Every `repeats` steps it reads the
// word that shows the chase's end, and the next block of a large buffer. These reads are too rare
// to evict the chain from caches.
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
    // The loop makes at most `windows` iterations, so that it ends even if the chase never ends.
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
