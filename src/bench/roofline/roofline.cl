// SPDX-License-Identifier: MIT
// The same as roofline.comp, which describes it.
//
// -DNUMBER=ROOFLINE_…  -DBLOCKS=…: blocks per workgroup
#include "bench/prelude/prelude.clh"

#include "bench/prelude/functions.clh"

#include "bench/roofline/steps.h"
#define WORDS_SLOTS ROOFLINE_SLOTS
#include "bench/prelude/words.clh"

#define MEMBER(name) uint name;
struct params {
    ROOFLINE_PARAMS(MEMBER)
};

#if NUMBER == ROOFLINE_F32
#define T            float
#define VALUE(w)     as_float(w)
#define BITS(x)      as_uint(x)
#define FMA(x, y, z) fma_f32(x, y, z)
#define CONSTANT     VALUE(params.low)
#elif NUMBER == ROOFLINE_F64
#define T            double
#define VALUE(w)     as_double(w)
#define BITS(v)      (as_uint2(v).x + as_uint2(v).y)
#define FMA(x, y, z) fma_f64(x, y, z)
#define CONSTANT     VALUE((uint2)(params.low, params.high))
#else
#define T            uint
#define VALUE(w)     (w)
#define BITS(x)      (x)
#define FMA(x, y, z) fma_f16x2(x, y, z)
#define CONSTANT     params.low
#endif
#define DECLARE(i, w) T x##i = VALUE(w);
#define LOAD(k)       at[k * WORKGROUP_X]
#define LOOP(turns, code)                                                                          \
    NOT_UNROLLED for (uint turn = 0; turn < turns; turn++)                                         \
    {                                                                                              \
        code                                                                                       \
    }

KERNEL void KERNEL_NAME(const __global uint4 *restrict source, __global uint *words,
                        const struct params params)
{
    WORDS_SHARED
    const uint group = group_y() * params.row + group_x();
    const __global uint4 *at =
        source + (ulong)(group * (BLOCKS * ROOFLINE_LOADS * WORKGROUP_X) + local_index());
    const T b = CONSTANT;
    uint sum = 0;
#if BLOCKS > 1
    NOT_UNROLLED
    for (uint block = 0; block < BLOCKS; block++)
#endif
    {
        const uint4 w0 = LOAD(0), w1 = LOAD(1), w2 = LOAD(2), w3 = LOAD(3), w4 = LOAD(4), w5 = LOAD(5),
                    w6 = LOAD(6), w7 = LOAD(7);
        EACH_CHAIN(DECLARE)
        LOOP(params.longs, STEPS_16)
        LOOP(params.shorts, STEPS_4)
        LOOP(params.singles, STEPS_1)
        EACH_CHAIN(STEP_PART)
        EACH_CHAIN(ADD_BITS)
        at += ROOFLINE_LOADS * WORKGROUP_X;
    }
    WORDS_ADD_SUM(words, group, sum);
}
