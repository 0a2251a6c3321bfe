// SPDX-License-Identifier: MIT
// Constants for kernels and the host. Kernels include this file, so it has only #define and #if.
#ifndef BENCH_INCORE_INCORE_H
#define BENCH_INCORE_INCORE_H

// Values of -DNUMBER: the type of the numbers that a kernel computes with.
#define INCORE_F32   0
#define INCORE_F64   1
#define INCORE_F16   2
#define INCORE_F16X2 3
#define INCORE_I32   4
#define INCORE_I64   5
#define INCORE_TILE  6 // tiles of the matrix units

// Values of -DFORMAT: the type of the elements of the matrix tiles A and B.
#define INCORE_TILE_F16  0
#define INCORE_TILE_BF16 1
#define INCORE_TILE_E4M3 2

// Values of -DOPERATION: what a step of a chain does. "f, then g": the steps alternate between f
// and g.
#define INCORE_FMA      0 // x·x + b
#define INCORE_ADD      1 // x + a, then x + b; integers: x += y, then y += x
#define INCORE_MUL      2 // x·a, then x·b; integers: x *= y, then y *= x
#define INCORE_MAD      3 // x·a + b
#define INCORE_DIV      4 // a / x
#define INCORE_SQRT     5
#define INCORE_RCP      6  // 1 / (x + a)
#define INCORE_RSQRT    7  // 1 / √x
#define INCORE_EXP2     8  // 2^−x
#define INCORE_SIN      9  // sin x, then cos x
#define INCORE_SHIFT    10 // x << a, then x >> b
#define INCORE_POPCOUNT 11
#define INCORE_DOT      12 // x·a: dot product of pairs of halves; x holds the last two values
#define INCORE_DOT4     13 // x·a + b, where x·a is the dot product of vectors of four bytes
#define INCORE_MIXED    14 // x·x + b of a float; in the same step y << a, then y >> a of an integer
#define INCORE_SHUFFLE  15 // the x of the lane whose number is the thread's own number XOR a
#define INCORE_VOTE     16 // a word with one bit of x ^ a from each lane of the subgroup
#define INCORE_LEAST    17 // minimum over the subgroup's lanes of x + c; c differs between lanes
#define INCORE_BARRIER  18 // a barrier of the workgroup

// Number of threads in a workgroup, in most kernels. In kernels for one core, only the first
// `workers` threads compute.
#define INCORE_THREADS 1024

// In one iteration of the loop, a thread executes 1, 4 or 8 blocks (-DLENGTH). A block has up to
// INCORE_BLOCK steps, of all its chains together. It consists of whole rounds; a round is two steps
// of each chain. If a core can issue the instruction every cycle, iterations must be long, because
// otherwise the instructions of the loop itself would matter.
#define INCORE_BLOCK       64
#define INCORE_CHAINS      8  // maximum chains per thread, in kernels for one core
#define INCORE_PEAK_CHAINS 16 // maximum chains per thread, in kernels for the whole chip
#define INCORE_TILE_CHAINS 4  // chains per subgroup in matrix.cl
#define INCORE_SUBGROUPS   32 // maximum number of subgroups that record when they begin and end

// Layout of a proof, the buffer with which kernels check their results: a head of words in which
// kernels count, then slots of two words each with the constants and the expected values.
#define INCORE_GROUPS   0 // number of workgroups that ended
#define INCORE_WRONG    1 // number of threads with a wrong result, or whose loop ended early
#define INCORE_SEPARATE 2 // number of threads whose fma rounded twice
#define INCORE_HEAD     4
#define INCORE_START    0  // slots with the first value of x, one slot for each chain
#define INCORE_SECOND   16 // slots with the first value of y of each chain; for tiles: growth of D
#define INCORE_FUSED    32 // slots with the value at which each chain must end if fma rounds once
#define INCORE_ROUNDED  48 // slots with the value at which each chain must end if fma rounds twice
#define INCORE_A        64
#define INCORE_B        65
#define INCORE_SLOTS    66

// Layout of the stamps of one dispatch, of two words each. The first stamps hold, for each
// subgroup, the low words of the core's counter at the subgroup's start and end. The last three
// stamps hold the core's counter and the device's clock before and after the timed iterations of
// the first subgroup.
#define INCORE_STAMP_COUNTS 32 // the core's counter before and after timed iterations: low words
#define INCORE_STAMP_BEGIN  33 // the device's clock before the timed iterations: low and high word
#define INCORE_STAMP_END    34
#define INCORE_STAMPS       35

// Parameters of every kernel of incore: one 32-bit word each, in this order.
#define INCORE_PARAMS(X)                                                                           \
    X(lead)             /* untimed iterations of the loop, before the timed ones */                \
    X(turns)            /* timed iterations; in kernels for the whole chip: all */                 \
    X(passes)           /* runs of the loop, on one core: 2; the compiler does not know this */    \
    X(chains)           /* chains per thread: 1 to 8 */                                            \
    X(workers)          /* number of threads of a workgroup that compute */                        \
    X(subgroup_threads) /* number of threads in each subgroup */                                   \
    X(stamp)            /* index of the dispatch's first time stamp in the buffer of stamps */     \
    X(zero)             /* 0, but the compiler does not know that */                               \
    X(never)            /* a word that the results of the chains never equal */

// Allowed relative error of functions whose result an API does not define exactly.
#define INCORE_TOLERANCE_F32 0.001f
#define INCORE_TOLERANCE_F64 1e-9

#endif
