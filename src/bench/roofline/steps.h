// SPDX-License-Identifier: MIT
// What both kernel languages do alike: chains of x·x + b from four loads w0 … w3 of four words.
// VALUE, BITS and FMA are the languages' own. Only #define and #if here.
#ifndef BENCH_ROOFLINE_STEPS_H
#define BENCH_ROOFLINE_STEPS_H

#include "bench/roofline/roofline.h"

#define WORDS_OF(S, i, j, k, l, read) S(i, read.x) S(j, read.y) S(k, read.z) S(l, read.w)
#define PAIRS_OF(S, i, j, read)       S(i, read.xy) S(j, read.zw)

#if defined(NUMBER) && NUMBER == ROOFLINE_F64
#define EACH_CHAIN(S)                                                                              \
    PAIRS_OF(S, 0, 1, w0) PAIRS_OF(S, 2, 3, w1) PAIRS_OF(S, 4, 5, w2) PAIRS_OF(S, 6, 7, w3)
#else
#define EACH_CHAIN(S)                                                                              \
    WORDS_OF(S, 0, 1, 2, 3, w0)                                                                    \
    WORDS_OF(S, 4, 5, 6, 7, w1) WORDS_OF(S, 8, 9, 10, 11, w2) WORDS_OF(S, 12, 13, 14, 15, w3)
#endif

#define STEP(i, w)      x##i = FMA(x##i, x##i, b);
#define STEP_PART(i, w) x##i = i < params.partial ? FMA(x##i, x##i, b) : x##i;
#define ADD_BITS(i, w)  sum += BITS(x##i);

#define STEPS_1  EACH_CHAIN(STEP)
#define STEPS_4  STEPS_1 STEPS_1 STEPS_1 STEPS_1
#define STEPS_16 STEPS_4 STEPS_4 STEPS_4 STEPS_4
#define STEPS_32 STEPS_16 STEPS_16

#endif
