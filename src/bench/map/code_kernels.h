// SPDX-License-Identifier: MIT
// What the C code and the kernels of `what=code` must agree on. Only #define and #if: it is read by
// C, by GLSL and by OpenCL C.
#ifndef BENCH_MAP_CODE_KERNELS_H
#define BENCH_MAP_CODE_KERNELS_H

#define CODE_WORKGROUP 32

// Instructions are multiply-adds; so many in a row, then the question whether the lap ends there.
#define CODE_BLOCK 64

// Chains that take turns: x = x·x + constant, with a constant of its own for each instruction.
#define CODE_CHAINS 4

// Instruction i has constant i % CODE_CONSTANTS: a prime, so that no two blocks are alike. They are
// −1.8125 − n / 2^15, to −1.84375, where values stay between −1.85 and 1.59; exact in a float, so
// that every compiler folds the same.
#define CODE_CONSTANTS        1021
#define CODE_CONSTANT(number) (-1.8125f - (number)*3.0517578125e-05f)

// Chain c of a thread begins with −1 + (c + 4 × odd) / 16; odd: whether the thread's number is.
#define CODE_START(chain_and_odd) (-1.0f + (chain_and_odd)*0.0625f)

// After each lap, an empty one too: values may come to repeat themselves, this does not.
#define CODE_HASH(hash, a, b, c, d) ((hash)*16777619u + ((a) ^ (b) ^ (c) ^ (d)))

// Words that the kernel leaves: the token of the run and the stamps before the first window and
// after each, then of each thread the chains' ends and the hash over its laps.
#define CODE_DONE        0
#define CODE_STAMPS      1
#define CODE_WINDOWS_MAX 30
#define CODE_ENDS        32
#define CODE_KEPT        (CODE_CHAINS + 1)
#define CODE_WORDS       (CODE_ENDS + CODE_WORKGROUP * CODE_KEPT)

// Parameters, one 32-bit word each, in this order.
#define CODE_PARAMS(X)                                                                             \
    X(blocks)  /* of a lap; 0: an empty one */                                                     \
    X(lead)    /* laps before the first stamp */                                                   \
    X(windows) /* timed */                                                                         \
    X(laps)    /* of a window */                                                                   \
    X(never)   /* a word that no chain has, and more laps than any window has */                   \
    X(token)   /* of this run */

// A lap: blocks one after another, each ending with CODE_LEAVE(n) where n is how many came before
// and with it. The body stands in the code once.
#define CODE_4(i)                                                                                  \
    CODE_STEP(x0, (i))                                                                             \
    CODE_STEP(x1, (i) + 1)                                                                         \
    CODE_STEP(x2, (i) + 2)                                                                         \
    CODE_STEP(x3, (i) + 3)
#define CODE_16(i) CODE_4(i) CODE_4((i) + 4) CODE_4((i) + 8) CODE_4((i) + 12)
#define CODE_64(i) CODE_16(i) CODE_16((i) + 16) CODE_16((i) + 32) CODE_16((i) + 48)

#define CODE_BLOCKS_1(b) CODE_64((b)*CODE_BLOCK) CODE_LEAVE((b) + 1)
#define CODE_BLOCKS_4(b)                                                                           \
    CODE_BLOCKS_1(b) CODE_BLOCKS_1((b) + 1) CODE_BLOCKS_1((b) + 2) CODE_BLOCKS_1((b) + 3)
#define CODE_BLOCKS_16(b)                                                                          \
    CODE_BLOCKS_4(b) CODE_BLOCKS_4((b) + 4) CODE_BLOCKS_4((b) + 8) CODE_BLOCKS_4((b) + 12)
#define CODE_BLOCKS_64(b)                                                                          \
    CODE_BLOCKS_16(b) CODE_BLOCKS_16((b) + 16) CODE_BLOCKS_16((b) + 32) CODE_BLOCKS_16((b) + 48)
#define CODE_BLOCKS_128(b) CODE_BLOCKS_64(b) CODE_BLOCKS_64((b) + 64)
#define CODE_BLOCKS_256(b) CODE_BLOCKS_128(b) CODE_BLOCKS_128((b) + 128)
#define CODE_BLOCKS_512(b) CODE_BLOCKS_256(b) CODE_BLOCKS_256((b) + 256)

#if !defined(BLOCKS)
#elif BLOCKS == 16
#define CODE_LAP CODE_BLOCKS_16(0)
#elif BLOCKS == 128
#define CODE_LAP CODE_BLOCKS_128(0)
#elif BLOCKS == 512
#define CODE_LAP CODE_BLOCKS_512(0)
#endif

#endif
