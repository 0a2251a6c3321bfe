// SPDX-License-Identifier: MIT
// The element that a kernel loads (-DBYTES, -DDOUBLE): its type, its bits as words, and the sum of
// these words.
#if DOUBLE && BYTES == 16
#define ELEMENT dvec2
#define SUM     uvec4
#define BITS(v) uvec4(unpackDouble2x32((v).x), unpackDouble2x32((v).y))
#elif DOUBLE
#define ELEMENT double
#define SUM     uvec2
#define BITS(v) unpackDouble2x32(v)
#elif BYTES == 16
#define ELEMENT vec4
#define SUM     uvec4
#define BITS(v) floatBitsToUint(v)
#elif BYTES == 8
#define ELEMENT vec2
#define SUM     uvec2
#define BITS(v) floatBitsToUint(v)
#else
#define ELEMENT float
#define SUM     uint
#define BITS(v) floatBitsToUint(v)
#endif

#if BYTES == 16
#define FOLD(sum) ((sum).x + (sum).y + (sum).z + (sum).w)
#elif BYTES == 8
#define FOLD(sum) ((sum).x + (sum).y)
#else
#define FOLD(sum) (sum)
#endif
