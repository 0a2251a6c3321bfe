// SPDX-License-Identifier: MIT
#version 460
// Writes the data that stream.h defines, or checks what kernels made of these data. Walks through
// memory in another order than the measured kernels.
//
// -DTASK=STREAM_TASK_…  -DDOUBLE=0|1
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/stream/value.glsl"

layout(set = 0, binding = 0, std430) buffer Range
{
    VECTOR at[];
} range;

#if TASK != STREAM_TASK_FILL
#define WORDS_BINDING 1
#include "bench/stream/stream.h"
#define WORDS_SLOTS STREAM_SLOTS
#include "bench/prelude/words.glsl"
#endif

#if TASK == STREAM_TASK_DOT
layout(set = 0, binding = 2, std430) readonly buffer Other
{
    VECTOR at[];
} other;
#endif

layout(push_constant) uniform Params
{
    // Number of vectors or, with STREAM_TASK_DOT, of threads of the dot kernel.
    uint count;
    uint seed, other_seed;
    uint shift;          // number of vectors in front of the source's element 0
    uint threads, loads, steps; // shape of the dot kernel (struct stream_shape)
    uint marks;                 // 1: the check counts marks; 0: it adds up words
    float weights[STREAM_WEIGHTS];
} params;

SCALAR expected(uint i)
{
    uint center = i + params.shift * NUMBERS;
    SCALAR value = SCALAR(params.weights[6]);
    for (uint w = 0; w < 5; w++)
        if (params.weights[w] != 0)
            value += SCALAR(params.weights[w]) * value_at(center + w - 2, params.seed);
    if (params.weights[5] != 0)
        value += SCALAR(params.weights[5]) * value_at(i, params.other_seed);
    return value;
}

#if TASK == STREAM_TASK_DOT
uint dot_bits(uint thread)
{
    uint loads = params.loads * params.steps;
    uint first = thread / params.threads * params.threads * loads + thread % params.threads;
    VECTOR product = VECTOR(0);
    for (uint k = 0; k < loads; k++)
        product = fma(range.at[first + k * params.threads], other.at[first + k * params.threads],
                      product);
#if DOUBLE
    uvec2 bits = unpackDouble2x32(product.x + product.y);
    return bits.x + bits.y;
#else
    return floatBitsToUint((product.x + product.y) + (product.z + product.w));
#endif
}
#endif

void main()
{
    uint stride = gl_NumWorkGroups.x * WORKGROUP_THREADS;
    uint sum = 0, equal = 0;
    for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) {
#if TASK == STREAM_TASK_FILL
        for (uint n = 0; n < NUMBERS; n++)
            range.at[i][n] = value_at(i * NUMBERS + n, params.seed);
#elif TASK == STREAM_TASK_CHECK
        VECTOR seen = range.at[i];
        bool same = true;
        uint marked = 0;
        for (uint n = 0; n < NUMBERS; n++) {
            same = same && seen[n] == expected(i * NUMBERS + n);
            marked += (TOP_WORD(seen[n]) & STREAM_MARK_MASK) == STREAM_MARK ? 1 : 0;
        }
        uvec4 bits = BITS(seen);
        equal += same ? 1 : 0;
        sum += params.marks != 0 ? marked : bits.x + bits.y + bits.z + bits.w;
#else
        sum += dot_bits(i);
        equal++;
#endif
    }
#if TASK != STREAM_TASK_FILL
    words_add_both(gl_WorkGroupID.x, sum, equal);
#endif
}
