// SPDX-License-Identifier: MIT
#version 460
// Chains of one operation. On one core, the kernel times them with the core's own counter. On the
// whole chip (-DPEAK), it reads no clock. METHOD.md explains the operations.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/incore/steps.h"

layout(set = 0, binding = 0, std430) buffer Proof
{
    uint head[INCORE_HEAD];
    uvec2 slots[INCORE_SLOTS];
};

layout(set = 0, binding = 1, std430) writeonly buffer Stamps
{
    uvec2 stamps[];
};

#define MEMBER(name) uint name;
layout(push_constant) uniform Params
{
    INCORE_PARAMS(MEMBER)
}
params;

#if NUMBER == INCORE_F32
#define T        float
#define VALUE(w) uintBitsToFloat((w).x)
#define WORDS(v) uvec2(floatBitsToUint(v), 0u)
#elif NUMBER == INCORE_F64
#define T        double
#define VALUE(w) packDouble2x32(w)
#define WORDS(v) unpackDouble2x32(v)
#elif NUMBER == INCORE_F16
#define T        float16_t
#define VALUE(w) unpackFloat2x16((w).x).x
#define WORDS(v) uvec2(packFloat2x16(f16vec2(v, 0.0hf)), 0u)
#elif NUMBER == INCORE_F16X2
#define T        f16vec2
#define VALUE(w) unpackFloat2x16((w).x)
#define WORDS(v) uvec2(packFloat2x16(v), 0u)
#elif NUMBER == INCORE_I32
#define T        uint
#define VALUE(w) (w).x
#define WORDS(v) uvec2(v, 0u)
#else
#define T        uint64_t
#define VALUE(w) packUint2x32(w)
#define WORDS(v) unpackUint2x32(v)
#endif
#define FMA(x, y, z) fma(x, y, z)
#define SQRT(x)      sqrt(x)
#define RCP(x)       (T(1) / (x))
#define RSQRT(x)     inversesqrt(x)
#define EXP2(x)      exp2(x)
#define SIN(x)       sin(x)
#define COS(x)       cos(x)
#define POPCOUNT(x)  uint(bitCount(x))
#define DOT(v, w)    T(dot(v, w), (v).x)

#define SHUFFLE_XOR(x, mask) subgroupShuffleXor(x, mask)
#define BALLOT(bits)         subgroupBallot((bits) != 0u).x
#define LEAST(x)             subgroupMin(x)
#define BARRIER()            barrier()

#if OPERATION == INCORE_DOT4
// GLSL has no function for the instruction OpUDot of SPV_KHR_integer_dot_product. 6019 and 6018 are
// its capabilities DotProduct and DotProductInput4x8BitPacked; `form` 0 means packed vectors.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018],
                  id = 4451) uint dot4(uint x, uint y, spirv_literal int form);
#define DOT4(x, y, z) (dot4(x, y, 0) + z)
#endif

#if IS_INTEGER
#define EXACTLY
#else
#define EXACTLY precise
#endif
#if IS_UNIFORM
#define PLACE(i) uint(i)
#else
#define PLACE(i) ((thread ^ uint(i)) % INCORE_PEAK_CHAINS)
#endif
#define DECLARE(i) EXACTLY T x##i = VALUE(slots[INCORE_START + PLACE(i)]);
#if IS_PAIR
#define DECLARE_SECOND(i) T y##i = VALUE(slots[INCORE_SECOND + PLACE(i)]);
#define RESULT(i)         WORDS(y##i)
#elif OPERATION == INCORE_MIXED
#define DECLARE_SECOND(i) uint y##i = slots[INCORE_START + PLACE(i)].y;
#define RESULT(i)         uvec2(floatBitsToUint(x##i), y##i)
#else
#define DECLARE_SECOND(i)
#define RESULT(i) WORDS(x##i)
#endif
#define FOLD(i) folded ^= RESULT(i).x ^ RESULT(i).y;
#if OPERATION == INCORE_MIXED
#define LATE(i)                                                                                    \
    x##i = VALUE(WORDS(x##i) ^ late);                                                              \
    y##i ^= late;
#else
#define LATE(i) x##i = VALUE(WORDS(x##i) ^ late);
#endif
#if IS_INEXACT
#define EXPECTED(i) VALUE(slots[INCORE_FUSED + PLACE(i)])
#define COMPARE(i)                                                                                 \
    if (uint(i) < CHAINS_HERE)                                                                        \
        fused = rounded = fused && abs(x##i - EXPECTED(i)) <= TOLERANCE * abs(EXPECTED(i));
#if NUMBER == INCORE_F64
#define TOLERANCE double(INCORE_TOLERANCE_F64)
#else
#define TOLERANCE INCORE_TOLERANCE_F32
#endif
#else
#define COMPARE(i)                                                                                 \
    if (uint(i) < CHAINS_HERE) {                                                                      \
        fused = fused && RESULT(i) == slots[INCORE_FUSED + PLACE(i)];                              \
        rounded = rounded && RESULT(i) == slots[INCORE_ROUNDED + PLACE(i)];                        \
    }
#endif
#define LOOP(code)                                                                                 \
    {                                                                                              \
        [[dont_unroll]] for (uint turn = 0u; turn < turns; turn++) {                               \
            turned++;                                                                              \
            code                                                                                   \
        }                                                                                          \
    }
// If the case has n chains per thread, runs the loop for n chains; else the next use of this macro
// tries another n.
#define LOOP_OF(n)                                                                                 \
    if (params.chains == uint(n))                                                                  \
        LOOP(TURN(n))                                                                              \
    else

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    EXACTLY const T a = VALUE(slots[INCORE_A]), b = VALUE(slots[INCORE_B]);
#if OPERATION == INCORE_MIXED
    const uvec2 shift = slots[INCORE_A];
#elif IS_OF_SUBGROUP
    const uint lane = gl_SubgroupInvocationID;
    const uint lane_bit = lane < 32u ? 1u << lane : 0u, lane_sum = a + (lane ^ 1u);
#endif
    EACH_CHAIN(DECLARE)
    EACH_CHAIN(DECLARE_SECOND)
    uint turned = 0u;
#if defined(PEAK)
    const uint turns = params.turns;
    LOOP(TURN_PEAK)
#else
    const bool first = thread < params.subgroup_threads;
// The ballot makes the condition equal in all lanes, so compilers see that no lane diverges.
#if IS_OF_SUBGROUP
    const bool works = subgroupBallot(thread < params.workers) != uvec4(0u);
#else
    const bool works = thread < params.workers;
#endif
    uint begin = 0u, end = 0u, count_begin = 0u;
    uvec2 device_begin = uvec2(0u);
    // Pass 0 is the warm-up, which loads the code into the core's cache; pass 1 is timed.
    [[dont_unroll]] for (uint pass = 0u; pass < params.passes; pass++) {
        const uint turns = pass == 0u ? params.lead : params.turns;
        if (first) {
            device_begin = clock_device();
            count_begin = clock_core_after(device_begin.x, params.never).x;
        }
        barrier();
        if (works) {
            uint folded = 0u;
            EACH_CHAIN(FOLD)
            begin = clock_core_after(folded, params.never).x;
            // `late` is always 0, but is computed from the clock value `begin`. The chains use it,
            // so no step can run before the clock is read.
            const uint late = begin & params.zero;
            EACH_CHAIN(LATE)
            EACH_COUNT(LOOP_OF)
            {}
            folded = 0u;
            EACH_CHAIN(FOLD)
            end = clock_core_after(folded, params.never).x;
        }
    }
    if (!works)
        return;
    if (first) {
        const uvec2 device_end = clock_device();
        const uint count_end = clock_core_after(device_end.x, params.never).x;
        if (thread == 0u) {
            stamps[params.stamp + INCORE_STAMP_COUNTS] = uvec2(count_begin, count_end);
            stamps[params.stamp + INCORE_STAMP_BEGIN] = device_begin;
            stamps[params.stamp + INCORE_STAMP_END] = device_end;
        }
    }
    const uint subgroup = thread / params.subgroup_threads;
    if (thread % params.subgroup_threads == 0u && subgroup < INCORE_SUBGROUPS)
        stamps[params.stamp + subgroup] = uvec2(begin, end);
#endif

    bool fused = turned == params.lead + params.turns, rounded = fused;
    EACH_CHAIN(COMPARE)
    if (!fused && !rounded)
        atomicAdd(head[INCORE_WRONG], 1u);
    else if (!fused)
        atomicAdd(head[INCORE_SEPARATE], 1u);
    if (thread == 0u)
        atomicAdd(head[INCORE_GROUPS], 1u);
}
