// SPDX-License-Identifier: MIT
// Numbers that the kernels and the host share. Only #define and #if here.
#ifndef BENCH_INCORE_INCORE_H
#define BENCH_INCORE_INCORE_H

// -DNUMBER: what is computed with.
#define INCORE_F32   0
#define INCORE_F64   1
#define INCORE_F16   2
#define INCORE_F16X2 3
#define INCORE_I32   4
#define INCORE_I64   5
#define INCORE_TILE  6 // of the matrix units

// -DFORMAT: what tiles are made of.
#define INCORE_TILE_F16  0
#define INCORE_TILE_BF16 1
#define INCORE_TILE_E4M3 2

// -DOPERATION: what one step of a chain does. Every second step is the one behind the comma.
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
#define INCORE_DOT      12 // x·a: dot products of two halves each, the new one and the one before
#define INCORE_DOT4     13 // x·a + b: dot products of four bytes
#define INCORE_MIXED    14 // x·x + b of a float, beside it y << a, y >> a of an integer
#define INCORE_SHUFFLE  15 // the x of the lane whose number is another by the bits of a
#define INCORE_VOTE     16 // each lane's bit of x ^ a, of all lanes
#define INCORE_LEAST    17 // the least x + c of the subgroup, c another one in each lane
#define INCORE_BARRIER  18 // of the workgroup

// A workgroup; the first so many of its threads work.
#define INCORE_THREADS 1024

// Steps of a thread in one turn of the loop, over all its chains, by -DLENGTH: 1, 4 or 8 blocks.
// Instructions that a core can issue every cycle want long turns, else the loop's own count.
#define INCORE_BLOCK       64
#define INCORE_CHAINS      8  // at most, on one core
#define INCORE_PEAK_CHAINS 16 // at most, of kernels for the whole chip
#define INCORE_TILE_CHAINS 4  // of matrix.cl
#define INCORE_SUBGROUPS   32 // that stamp, at most

// The proof: words that the kernels count in, then slots of two words.
#define INCORE_GROUPS   0 // workgroups that came to their end
#define INCORE_WRONG    1 // threads with a result that is neither of two, or loops cut short
#define INCORE_SEPARATE 2 // threads whose fma rounded twice
#define INCORE_HEAD     4
#define INCORE_START    0  // slots: x of each chain
#define INCORE_SECOND   16 // y
#define INCORE_FUSED    32 // what each chain should end with
#define INCORE_ROUNDED  48 // the same with two roundings
#define INCORE_A        64
#define INCORE_B        65
#define INCORE_SLOTS    66

// Stamps of a dispatch, of two words each: begin and end of each subgroup by the core's counter
// (low words), then the counter and the device's clock around all of that.
#define INCORE_STAMP_COUNTS 32 // low words before and after
#define INCORE_STAMP_BEGIN  33 // the device's clock, low and high word
#define INCORE_STAMP_END    34
#define INCORE_STAMPS       35

// Parameters of every kernel here, one 32-bit word each, in this order.
#define INCORE_PARAMS(X)                                                                           \
    X(lead)             /* turns that are not timed */                                             \
    X(turns)            /* turns that are; of a peak kernel: all */                                \
    X(passes)           /* 2, unknown to the compiler */                                           \
    X(chains)           /* 1, 2, 4 or 8 */                                                         \
    X(workers)          /* threads that work */                                                    \
    X(subgroup_threads) /* in each subgroup */                                                     \
    X(stamp)            /* number of the dispatch's first stamp */                                 \
    X(zero)             /* 0, unknown to the compiler */                                           \
    X(never)            /* a word that no fold of values is */

// Results of functions that an API leaves inexact may be off by this part of them.
#define INCORE_TOLERANCE_F32 0.001f
#define INCORE_TOLERANCE_F64 1e-9

#endif
