// SPDX-License-Identifier: MIT
// Computes the data that bandwidth.h defines, as store.c does in C.
#ifndef BENCH_BANDWIDTH_DATA_GLSL
#define BENCH_BANDWIDTH_DATA_GLSL

#include "bench/bandwidth/bandwidth.h"

uvec4 data_words(uint element, uint seed)
{
    uint h = element * BANDWIDTH_MIX_STEP + seed;
    h ^= h >> 15;
    h *= BANDWIDTH_MIX_SCATTER;
    h ^= h >> 13;
    uvec4 words =
        h * uvec4(1, BANDWIDTH_MULTIPLIER_1, BANDWIDTH_MULTIPLIER_2, BANDWIDTH_MULTIPLIER_3);
    return (words & BANDWIDTH_KEEP) | BANDWIDTH_EXPONENT;
}

#endif
