// SPDX-License-Identifier: MIT
#version 460
// load=keep-awake: one workgroup beside the chase that computes until the chase has said that it is
// done. Every `repeats` steps it asks and reads the next line of a large buffer, so that neither the
// core clock nor the memory clock sees an idle device; rarely enough to leave the caches alone.
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
    // `windows` bounds it: a chase that never ends must not keep the device.
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
