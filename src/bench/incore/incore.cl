// SPDX-License-Identifier: MIT
// Chains of one operation, as in incore.comp.
#include "bench/prelude/prelude.clh"

#include "bench/prelude/functions.clh"

#include "bench/incore/steps.h"

#define MEMBER(name) uint name;
struct params {
    INCORE_PARAMS(MEMBER)
};

#if NUMBER == INCORE_F32
#define T            float
#define VALUE(w)     as_float((w).x)
#define WORDS(v)     ((uint2)(as_uint(v), 0))
#define FMA(x, y, z) fma_f32(x, y, z)
#define SQRT(x)      sqrt_f32(x)
#define MAGNITUDE(x) as_float(as_uint(x) & 0x7fffffffu)
#define TOLERANCE    INCORE_TOLERANCE_F32
#elif NUMBER == INCORE_F64
#define T            double
#define VALUE(w)     as_double(w)
#define WORDS(v)     as_uint2(v)
#define FMA(x, y, z) fma_f64(x, y, z)
#define SQRT(x)      sqrt_f64(x)
#define MAGNITUDE(x) as_double(as_ulong(x) & 0x7fffffffffffffffUL)
#define TOLERANCE    INCORE_TOLERANCE_F64
#elif NUMBER == INCORE_F16
#define T            ushort
#define VALUE(w)     (ushort)(w).x
#define WORDS(v)     ((uint2)(v, 0))
#define FMA(x, y, z) fma_f16(x, y, z)
#elif NUMBER == INCORE_F16X2
#define T            uint
#define VALUE(w)     (w).x
#define WORDS(v)     ((uint2)(v, 0))
#define FMA(x, y, z) fma_f16x2(x, y, z)
#elif NUMBER == INCORE_I32
#define T        uint
#define VALUE(w) (w).x
#define WORDS(v) ((uint2)(v, 0))
#else
#define T        ulong
#define VALUE(w) as_ulong(w)
#define WORDS(v) as_uint2(v)
#endif
#define RCP(x)      rcp_f32(x)
#define RSQRT(x)    rsqrt_f32(x)
#define EXP2(x)     exp2_f32(x)
#define SIN(x)      sin_f32(x)
#define COS(x)      cos_f32(x)
#define POPCOUNT(x) popcount_u32(x)
#define DOT(x, y)     dot_f16x2(x, y)
#define DOT4(x, y, z) dot4_u8(x, y, z)
#define BARRIER()     workgroup_barrier()

#if defined(KERNEL_TARGET_PTX)
INLINE uint shuffle_xor(uint x, uint mask)
{
    __asm__ volatile("shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;" : "+r"(x) : "r"(mask));
    return x;
}
INLINE uint ballot(uint bits)
{
    __asm__ volatile("{\n"
                     ".reg .pred %%p;\n"
                     "setp.ne.u32 %%p, %0, 0;\n"
                     "vote.sync.ballot.b32 %0, %%p, 0xffffffff;\n"
                     "}"
                     : "+r"(bits));
    return bits;
}
INLINE uint least(uint x)
{
    __asm__ volatile("redux.sync.min.u32 %0, %0, 0xffffffff;" : "+r"(x));
    return x;
}
#else // placeholders that are compiled but never run: OpenCL C 1.2 has no subgroup functions
#define shuffle_xor(x, mask) (x ^ mask)
#define ballot(bits)         (bits)
#define least(x)             (x)
#endif
#define SHUFFLE_XOR(x, mask) shuffle_xor(x, mask)
#define BALLOT(bits)         ballot(bits)
#define LEAST(x)             least(x)

#if IS_UNIFORM
#define PLACE(i) i
#else
#define PLACE(i) ((thread ^ i) % INCORE_PEAK_CHAINS)
#endif
#define DECLARE(i) T x##i = VALUE(slots[INCORE_START + PLACE(i)]);
#if IS_PAIR
#define DECLARE_SECOND(i) T y##i = VALUE(slots[INCORE_SECOND + PLACE(i)]);
#define RESULT(i)         WORDS(y##i)
#elif OPERATION == INCORE_MIXED
#define DECLARE_SECOND(i) uint y##i = slots[INCORE_START + PLACE(i)].y;
#define RESULT(i)         ((uint2)(as_uint(x##i), y##i))
#else
#define DECLARE_SECOND(i)
#define RESULT(i) WORDS(x##i)
#endif
#define FOLD(i)      folded ^= RESULT(i).x ^ RESULT(i).y;
#if OPERATION == INCORE_MIXED
#define LATE(i)                                                                                    \
    x##i = VALUE(WORDS(x##i) ^ late);                                                              \
    y##i ^= late;
#else
#define LATE(i) x##i = VALUE(WORDS(x##i) ^ late);
#endif
#define DIFFER(u, v) ((u).x != (v).x || (u).y != (v).y)
#if IS_INEXACT
#define EXPECTED(i) VALUE(slots[INCORE_FUSED + PLACE(i)])
#define COMPARE(i)                                                                                 \
    if (i < CHAINS_HERE)                                                                           \
        fused = rounded =                                                                          \
            fused && MAGNITUDE(x##i - EXPECTED(i)) <= TOLERANCE * MAGNITUDE(EXPECTED(i));
#else
#define COMPARE(i)                                                                                 \
    if (i < CHAINS_HERE) {                                                                         \
        fused &= !DIFFER(RESULT(i), slots[INCORE_FUSED + PLACE(i)]);                               \
        rounded &= !DIFFER(RESULT(i), slots[INCORE_ROUNDED + PLACE(i)]);                           \
    }
#endif
#define LOOP(code)                                                                                 \
    {                                                                                              \
        NOT_UNROLLED for (uint turn = 0; turn < turns; turn++)                                     \
        {                                                                                          \
            turned++;                                                                              \
            code                                                                                   \
        }                                                                                          \
    }
// If the case has n chains per thread, runs the loop for n chains; else the next use of this macro
// tries another n.
#define LOOP_OF(n)                                                                                 \
    if (params.chains == n)                                                                        \
        LOOP(TURN(n))                                                                              \
    else

KERNEL void KERNEL_NAME(__global uint *head, __global uint2 *stamps, const struct params params)
{
    const uint thread = local_index();
    const __global uint2 *slots = (const __global uint2 *)(head + INCORE_HEAD);
    const T a = VALUE(slots[INCORE_A]), b = VALUE(slots[INCORE_B]);
    (void)a;
    (void)b;
#if OPERATION == INCORE_MIXED
    const uint2 shift = slots[INCORE_A];
#elif IS_OF_SUBGROUP
    const uint lane = subgroup_lane(), lane_bit = 1u << lane % 32, lane_sum = a + (lane ^ 1);
    (void)lane_bit;
    (void)lane_sum;
#endif
    EACH_CHAIN(DECLARE)
    EACH_CHAIN(DECLARE_SECOND)
    uint turned = 0;
#if defined(PEAK)
    (void)stamps;
    const uint turns = params.turns;
    LOOP(TURN_PEAK)
#else
    const bool first = thread < params.subgroup_threads;
// The ballot makes the condition equal in all lanes, so compilers see that no lane diverges.
#if IS_OF_SUBGROUP
    const bool works = ballot(thread < params.workers) != 0;
#else
    const bool works = thread < params.workers;
#endif
    uint begin = 0, end = 0, count_begin = 0;
    uint2 device_begin = (uint2)(0, 0);
    // Pass 0 is the warm-up, which loads the code into the core's cache; pass 1 is timed.
    NOT_UNROLLED for (uint pass = 0; pass < params.passes; pass++)
    {
        const uint turns = pass == 0 ? params.lead : params.turns;
        if (first) {
            device_begin = clock_device();
            count_begin = clock_core_after(device_begin.x, params.never).x;
        }
        workgroup_barrier();
        if (works) {
            uint folded = 0;
            EACH_CHAIN(FOLD)
            begin = clock_core_after(folded, params.never).x;
            // `late` is always 0, but is computed from the clock value `begin`. The chains use it,
            // so no step can run before the clock is read.
            const uint late = begin & params.zero;
            EACH_CHAIN(LATE)
            EACH_COUNT(LOOP_OF)
            {}
            folded = 0;
            EACH_CHAIN(FOLD)
            end = clock_core_after(folded, params.never).x;
        }
    }
    if (!works)
        return;
    if (first) {
        const uint2 device_end = clock_device();
        const uint count_end = clock_core_after(device_end.x, params.never).x;
        if (thread == 0) {
            stamps[params.stamp + INCORE_STAMP_COUNTS] = (uint2)(count_begin, count_end);
            stamps[params.stamp + INCORE_STAMP_BEGIN] = device_begin;
            stamps[params.stamp + INCORE_STAMP_END] = device_end;
        }
    }
    const uint subgroup = thread / params.subgroup_threads;
    if (thread % params.subgroup_threads == 0 && subgroup < INCORE_SUBGROUPS)
        stamps[params.stamp + subgroup] = (uint2)(begin, end);
#endif

    bool fused = turned == params.lead + params.turns, rounded = fused;
    EACH_CHAIN(COMPARE)
    if (!fused && !rounded)
        atomic_add_global(head + INCORE_WRONG, 1);
    else if (!fused)
        atomic_add_global(head + INCORE_SEPARATE, 1);
    if (thread == 0)
        atomic_add_global(head + INCORE_GROUPS, 1);
}
