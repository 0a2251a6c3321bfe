// SPDX-License-Identifier: MIT
// The operations of stream.h on arrays, as in stream.comp.
//
// -DOP=STREAM_…  -DDOUBLE=0|1  -DLOADS=…: vectors in flight
// -DRESIDENT=1: workgroups loop over the passes. With -DCORE_ID and -DDEVICE_CLOCK, each of them
// records where and when it ran.
#include "bench/prelude/prelude.clh"

#include "bench/stream/stream.h"
#include "bench/stream/value.clh"
#define WORDS_SLOTS STREAM_SLOTS
#include "bench/prelude/words.clh"

#define USES_OTHER (OP == STREAM_ADD || OP == STREAM_TRIAD || OP == STREAM_DOT)
#define ONLY_READS (OP == STREAM_READ || OP == STREAM_DOT)
#define IS_STAR    (OP == STREAM_STAR3 || OP == STREAM_STAR5)

struct params {
    uint blocks, groups, passes, pitch, advance, reach;
    float value, factor;
};

#if DOUBLE
#define LEFT(l, m)    (double2)((l).y, (m).x)
#define RIGHT(m, r)   (double2)((m).y, (r).x)
#define LEFT_2(l, m)  (l)
#define RIGHT_2(m, r) (r)
#else
#define LEFT(l, m)    (float4)((l).w, (m).xyz)
#define RIGHT(m, r)   (float4)((m).yzw, (r).x)
#define LEFT_2(l, m)  (float4)((l).zw, (m).xy)
#define RIGHT_2(m, r) (float4)((m).zw, (r).xy)
#endif

// Every variant of the kernel has all arguments, but few variants use all of them.
#define MAYBE __attribute__((unused))

#define AT(array, first, k) (array)[(ulong)(first) + (k)*WORKGROUP_X]

#if IS_STAR
INLINE void step_of(const __global VECTOR *restrict source, __global VECTOR *restrict target,
                    uint first)
{
    VECTOR l[LOADS], m[LOADS], r[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        l[k] = AT(source, first, k);
        m[k] = AT(source + 1, first, k);
        r[k] = AT(source + 2, first, k);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const VECTOR near = (SCALAR)0.5f * RIGHT(m[k], r[k]) - m[k];
#if OP == STREAM_STAR3
        AT(target, first, k) = (SCALAR)0.5f * LEFT(l[k], m[k]) + near;
#else
        const VECTOR left = LEFT(l[k], m[k]) + LEFT_2(l[k], m[k]);
        AT(target, first, k) = (SCALAR)0.25f * left + near + (SCALAR)0.5f * RIGHT_2(m[k], r[k]);
#endif
    }
}
#elif OP == STREAM_READ
INLINE uint4 step_of(const __global VECTOR *restrict source, uint first, uint4 sum)
{
    VECTOR a[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        a[k] = AT(source, first, k);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sum += BITS(a[k]);
    return sum;
}
#elif OP == STREAM_DOT
INLINE VECTOR step_of(const __global VECTOR *restrict source, const __global VECTOR *restrict other,
                      uint first, VECTOR product)
{
    VECTOR a[LOADS], b[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        a[k] = AT(source, first, k);
        b[k] = AT(other, first, k);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        product = FMA(a[k], b[k], product);
    return product;
}
#else
INLINE void step_of(MAYBE const __global VECTOR *restrict source,
                    MAYBE const __global VECTOR *restrict other, __global VECTOR *restrict target,
                    uint first, MAYBE struct params p)
{
    VECTOR a[LOADS];
#if USES_OTHER
    VECTOR b[LOADS];
#endif
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
#if OP == STREAM_INIT
        a[k] = (VECTOR)(SCALAR)p.value;
#else
        a[k] = AT(source, first, k);
#endif
#if USES_OTHER
        b[k] = AT(other, first, k);
#endif
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
#if OP == STREAM_SCALE
        AT(target, first, k) = (SCALAR)p.factor * a[k];
#elif OP == STREAM_ADD
        AT(target, first, k) = a[k] + b[k];
#elif OP == STREAM_TRIAD
        AT(target, first, k) = a[k] + (SCALAR)p.factor * b[k];
#else
        AT(target, first, k) = a[k];
#endif
    }
}
#endif

#if RESIDENT
#define FOR_PASSES                                                                                 \
    NOT_UNROLLED                                                                                   \
    for (uint pass = 0; pass < p.passes; pass++)
#else
#define FOR_PASSES
#endif

KERNEL void KERNEL_NAME(MAYBE const __global VECTOR *restrict source,
                        MAYBE const __global VECTOR *restrict other,
                        MAYBE __global VECTOR *restrict target, MAYBE __global uint *words,
                        MAYBE __global uint4 *places, const struct params p)
{
    WORDS_SHARED
    const uint group = group_y() * groups_x() + group_x();
#if defined(CORE_ID) && defined(DEVICE_CLOCK)
    const uint begin = clock_device().x;
#endif
#if OP == STREAM_READ
    uint4 sum = (uint4)(0);
#elif OP == STREAM_DOT
    VECTOR product = (VECTOR)(SCALAR)0;
#endif
    const uint first_block = group * p.pitch;
    const uint end = first_block + p.reach < p.blocks ? first_block + p.reach : p.blocks;
    FOR_PASSES
    {
        NOT_UNROLLED
        for (uint block = first_block; block < end; block += p.advance) {
            const uint first = block * (WORKGROUP_X * LOADS) + local_x();
#if IS_STAR
            step_of(source, target, first);
#elif OP == STREAM_READ
            sum = step_of(source, first, sum);
#elif OP == STREAM_DOT
            product = step_of(source, other, first, product);
#else
            step_of(source, other, target, first, p);
#endif
        }
    }
    if (group >= p.groups)
        return;
#if OP == STREAM_READ
    WORDS_ADD_SUM(words, group, ADD_WORDS(sum));
#elif OP == STREAM_DOT
    WORDS_ADD_SUM(words, group, number_bits(FOLD(product)));
#else
    WORDS_ADD_PASS(words, group, p.groups - 1);
#endif
#if defined(CORE_ID) && defined(DEVICE_CLOCK)
    if (local_x() == 0)
        places[group] = (uint4)(core_id(), begin, clock_device().x, 0);
#endif
}
