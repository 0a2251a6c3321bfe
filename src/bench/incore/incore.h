// SPDX-License-Identifier: MIT
// Constants that the kernels and the host share. Only #define and #if here.
#ifndef BENCH_INCORE_INCORE_H
#define BENCH_INCORE_INCORE_H

// -DNUMBER: the type of the numbers.
#define INCORE_F32   0
#define INCORE_F64   1
#define INCORE_F16   2
#define INCORE_F16X2 3
#define INCORE_I32   4
#define INCORE_I64   5
#define INCORE_TILE  6 // tiles of the matrix units

// -DFORMAT: the elements of tiles.
#define INCORE_TILE_F16  0
#define INCORE_TILE_BF16 1
#define INCORE_TILE_E4M3 2

// -DOPERATION: what a step of a chain does. "f, g": steps alternate between f and g.
#define INCORE_FMA      0 // x·x + b
#define INCORE_ADD      1 // x + a, x + b; integers: x += y, y += x
#define INCORE_MUL      2 // x·a, x·b; integers: x *= y, y *= x
#define INCORE_MAD      3 // x·a + b
#define INCORE_DIV      4 // a / x
#define INCORE_SQRT     5
#define INCORE_RCP      6  // 1 / x
#define INCORE_RSQRT    7  // 1 / √x
#define INCORE_EXP2     8  // 2^−x
#define INCORE_SIN      9  // sin x, cos x
#define INCORE_SHIFT    10 // x << a, x >> b
#define INCORE_POPCOUNT 11
#define INCORE_DOT      12 // x·a: dot product of two halves; x holds the last two results
#define INCORE_DOT4     13 // x·a + b: dot product of four bytes
#define INCORE_MIXED    14 // x·x + b of a float, and y << a, y >> a of an integer
#define INCORE_SHUFFLE  15 // the x of lane (own number XOR a)
#define INCORE_VOTE     16 // one bit of x ^ a from each lane
#define INCORE_LEAST    17 // the minimum of x + c in the subgroup; c differs between lanes
#define INCORE_BARRIER  18 // a barrier of the workgroup

// Threads of a workgroup. The first `workers` of them compute.
#define INCORE_THREADS 1024

// In one iteration of the loop, a thread makes 1, 4 or 8 blocks (-DLENGTH) of INCORE_BLOCK steps,
// over all its chains. A block has fewer steps if these do not divide into rounds of two steps per
// chain. Instructions that a core can issue every cycle need long iterations, or the loop's own
// instructions would count.
#define INCORE_BLOCK       64
#define INCORE_CHAINS      8  // most chains per thread, on one core
#define INCORE_PEAK_CHAINS 16 // most chains per thread, in kernels for the whole chip
#define INCORE_TILE_CHAINS 4  // chains per subgroup in matrix.cl
#define INCORE_SUBGROUPS   32 // most subgroups that write stamps

// The proof: words that kernels count in, then slots of two words each.
#define INCORE_GROUPS   0 // workgroups that ended
#define INCORE_WRONG    1 // threads with a wrong result, or whose loop ended early
#define INCORE_SEPARATE 2 // threads whose fma rounded twice
#define INCORE_HEAD     4
#define INCORE_START    0  // slots: first x of each chain
#define INCORE_SECOND   16 // first y of each chain; tiles: growth of D
#define INCORE_FUSED    32 // the expected end of each chain, if fma rounds once
#define INCORE_ROUNDED  48 // the same, if fma rounds twice
#define INCORE_A        64
#define INCORE_B        65
#define INCORE_SLOTS    66

// Stamps of a dispatch, of two words each: the core's counter (its low words) at begin and end of
// each subgroup; then the counter and the device's clock before the first begin and after the last
// end.
#define INCORE_STAMP_COUNTS 32 // low words of the core's counter
#define INCORE_STAMP_BEGIN  33 // the device's clock, low and high word
#define INCORE_STAMP_END    34
#define INCORE_STAMPS       35

// Parameters of every kernel here, one 32-bit word each, in this order.
#define INCORE_PARAMS(X)                                                                           \
    X(lead)             /* iterations of the loop before the timed ones */                         \
    X(turns)            /* timed iterations; in a peak kernel: all */                              \
    X(passes)           /* 2, but the compiler does not know that */                               \
    X(chains)           /* 1 to 8 */                                                               \
    X(workers)          /* threads that compute */                                                 \
    X(subgroup_threads) /* threads in each subgroup */                                             \
    X(stamp)            /* index of the dispatch's first stamp */                                  \
    X(zero)             /* 0, but the compiler does not know that */                               \
    X(never)            /* a word that no combination of results equals */

// Allowed relative error of functions that an API leaves inexact.
#define INCORE_TOLERANCE_F32 0.001f
#define INCORE_TOLERANCE_F64 1e-9

#endif
