// SPDX-License-Identifier: MIT
// Shared by kernels in GLSL and OpenCL C: chains x = x·x + b, which begin with the values of eight
// loads w0 … w7 of four words each. Each language defines VALUE, BITS and FMA before it includes
// this file, which has only #define and #if.
#ifndef BENCH_ROOFLINE_STEPS_H
#define BENCH_ROOFLINE_STEPS_H

#include "bench/roofline/roofline.h"

// EACH_CHAIN(S) expands to S(i, words) for each chain: i is its number, and `words` are the words
// of its first value.
#if defined(NUMBER) && NUMBER == ROOFLINE_F64
#define CHAINS_OF(S, i, j, read) S(i, read.xy) S(j, read.zw)
#define LOADS_4(S)                                                                                 \
    CHAINS_OF(S, 0, 1, w0) CHAINS_OF(S, 2, 3, w1) CHAINS_OF(S, 4, 5, w2) CHAINS_OF(S, 6, 7, w3)
#define EACH_CHAIN(S)                                                                              \
    LOADS_4(S)                                                                                     \
    CHAINS_OF(S, 8, 9, w4)                                                                         \
    CHAINS_OF(S, 10, 11, w5) CHAINS_OF(S, 12, 13, w6) CHAINS_OF(S, 14, 15, w7)
#else
#define CHAINS_OF(S, i, j, k, l, read) S(i, read.x) S(j, read.y) S(k, read.z) S(l, read.w)
#define LOADS_4(S)                                                                                 \
    CHAINS_OF(S, 0, 1, 2, 3, w0)                                                                   \
    CHAINS_OF(S, 4, 5, 6, 7, w1)                                                                   \
    CHAINS_OF(S, 8, 9, 10, 11, w2)                                                                 \
    CHAINS_OF(S, 12, 13, 14, 15, w3)
#define EACH_CHAIN(S)                                                                              \
    LOADS_4(S)                                                                                     \
    CHAINS_OF(S, 16, 17, 18, 19, w4)                                                               \
    CHAINS_OF(S, 20, 21, 22, 23, w5)                                                               \
    CHAINS_OF(S, 24, 25, 26, 27, w6)                                                               \
    CHAINS_OF(S, 28, 29, 30, 31, w7)
#endif

#define STEP(i, w)      x##i = FMA(x##i, x##i, b);
#define STEP_PART(i, w) x##i = i < params.partial ? FMA(x##i, x##i, b) : x##i;
#define ADD_BITS(i, w)  sum += BITS(x##i);

#define STEPS_1  EACH_CHAIN(STEP)
#define STEPS_4  STEPS_1 STEPS_1 STEPS_1 STEPS_1
#define STEPS_16 STEPS_4 STEPS_4 STEPS_4 STEPS_4

#endif
