// SPDX-License-Identifier: MIT
#version 460
// Every thread reads 128 bytes per block and computes a chain of steps x = x·x + b from each value.
// The intensity of the case determines the number of steps. METHOD.md gives the reasons.
//
// -DNUMBER=ROOFLINE_…  -DBLOCKS=…: blocks per workgroup
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "bench/prelude/kernel.glsl"

#include "bench/roofline/steps.h"

layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    uvec4 source[];
};

#define WORDS_BINDING 1
#define WORDS_SLOTS   ROOFLINE_SLOTS
#include "bench/prelude/words.glsl"

#define MEMBER(name) uint name;
layout(push_constant) uniform Params
{
    ROOFLINE_PARAMS(MEMBER)
}
params;

#if NUMBER == ROOFLINE_F32
#define T        float
#define VALUE(w) uintBitsToFloat(w)
#define BITS(x)  floatBitsToUint(x)
#define CONSTANT VALUE(params.low)
#elif NUMBER == ROOFLINE_F64
#define T        double
#define VALUE(w) packDouble2x32(w)
#define BITS(v)  (unpackDouble2x32(v).x + unpackDouble2x32(v).y)
#define CONSTANT VALUE(uvec2(params.low, params.high))
#else
#define T        f16vec2
#define VALUE(w) unpackFloat2x16(w)
#define BITS(x)  packFloat2x16(x)
#define CONSTANT VALUE(params.low)
#endif
#define FMA(x, y, z)  fma(x, y, z)
#define DECLARE(i, w) precise T x##i = VALUE(w);
#define LOAD(k)       source[at + k * WORKGROUP_X]
#define LOOP(turns, code)                                                                          \
    [[dont_unroll]] for (uint turn = 0u; turn < turns; turn++) {                                   \
        code                                                                                       \
    }

void main()
{
    const uint group = gl_WorkGroupID.y * params.row + gl_WorkGroupID.x;
    const T b = CONSTANT;
    uint at = group * (BLOCKS * ROOFLINE_LOADS * WORKGROUP_X) + gl_LocalInvocationIndex;
    uint sum = 0u;
#if BLOCKS > 1
    [[dont_unroll]] for (uint block = 0u; block < BLOCKS; block++)
#endif
    {
        const uvec4 w0 = LOAD(0u), w1 = LOAD(1u), w2 = LOAD(2u), w3 = LOAD(3u), w4 = LOAD(4u),
                    w5 = LOAD(5u), w6 = LOAD(6u), w7 = LOAD(7u);
        EACH_CHAIN(DECLARE)
        LOOP(params.longs, STEPS_16)
        LOOP(params.shorts, STEPS_4)
        LOOP(params.singles, STEPS_1)
        EACH_CHAIN(STEP_PART)
        EACH_CHAIN(ADD_BITS)
        at += ROOFLINE_LOADS * WORKGROUP_X;
    }
    words_add(group, sum);
}
