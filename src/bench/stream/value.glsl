// SPDX-License-Identifier: MIT
// The 16-byte vector (-DDOUBLE: of doubles), and the data of stream.h, as store.c computes them.
#include "bench/stream/stream.h"

#if DOUBLE
#define SCALAR  double
#define VECTOR  dvec2
#define NUMBERS 2
#define BITS(v) uvec4(unpackDouble2x32((v).x), unpackDouble2x32((v).y))
#define TOP_WORD(number) unpackDouble2x32(number).y
#else
#define SCALAR  float
#define VECTOR  vec4
#define NUMBERS 4
#define BITS(v) floatBitsToUint(v)
#define TOP_WORD(number) floatBitsToUint(number)
#endif

uint value_mix(uint i, uint seed)
{
    uint h = i * STREAM_MIX_STEP + seed;
    h ^= h >> 15;
    h *= STREAM_MIX_SCATTER;
    return h ^ h >> 13;
}

SCALAR value_at(uint i, uint seed)
{
    uint h = value_mix(i, seed);
#if DOUBLE
    uint low = h * STREAM_MIX_LOW >> 8 | 1;
    return double(int(h >> 12) - 0x80000) * (1.0lf / 524288.0lf) + double(low) * (1.0lf / 8796093022208.0lf);
#else
    return float(int(h >> 12 | 1) - 0x80000) * (1.0 / 524288.0);
#endif
}
