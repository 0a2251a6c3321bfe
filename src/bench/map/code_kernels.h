// SPDX-License-Identifier: MIT
// What the C code and the kernels of `what=code` must agree on. C, GLSL and OpenCL C include this
// file, so it has only #define and #if.
#ifndef BENCH_MAP_CODE_KERNELS_H
#define BENCH_MAP_CODE_KERNELS_H

#define CODE_WORKGROUP 32

// A lap is straight-line code of multiply-adds. A test after each stretch of code can end the lap.
// The first 32 stretches have 64 instructions each; then 16 each have 128, 256, 512 and 1024, so an
// octave has 16 lengths. If all stretches had 64 instructions, the loop would have too many exits.
// If a loop has more than a hundred exits, clang (and, it seems, NVIDIA's compiler) copies the
// chains at each exit. CODE_STEPS_…: number of stretches of each kernel.
#define CODE_SHORTEST  64
#define CODE_STEPS_1K  16
#define CODE_STEPS_8K  64
#define CODE_STEPS_32K 96

// Number of chains x = x·x + constant in a thread. Successive instructions belong to different
// chains.
#define CODE_CHAINS 4

// Instruction i uses the constant number i modulo CODE_CONSTANTS. CODE_CONSTANTS is a prime, so
// that no two stretches of code are the same. Constant n is −1.8125 − n / 2^15. With constants down
// to −1.84375, values stay between −1.85 and 1.59. The constants are exact as floats, so all
// compilers fold them to the same value.
#define CODE_CONSTANTS        1021
#define CODE_CONSTANT(number) (-1.8125f - (number)*3.0517578125e-05f)

// Chain c of a thread starts at −1 + (c + 4 × odd) / 16, where odd is the thread's number modulo 2.
#define CODE_START(chain_and_odd) (-1.0f + (chain_and_odd)*0.0625f)

// Returns a thread's new hash after a lap. The hash changes with each lap, even if the values of
// the chains repeat.
#define CODE_HASH(hash, a, b, c, d) ((hash)*16777619u + ((a) ^ (b) ^ (c) ^ (d)))

// Words that the kernel writes: the token, which identifies the run; the core's counter before the
// first window and after each window; the device's clock before the first window and after the last
// one, two words each; then for each thread the last values of its chains and its hash.
#define CODE_DONE        0
#define CODE_STAMPS      1
#define CODE_WINDOWS_MAX 26
#define CODE_CLOCKS      28
#define CODE_ENDS        32
#define CODE_KEPT        (CODE_CHAINS + 1)
#define CODE_WORDS       (CODE_ENDS + CODE_WORKGROUP * CODE_KEPT)

// Parameters of the kernel, one 32-bit word each, in this order.
#define CODE_PARAMS(X)                                                                             \
    X(steps)   /* stretches of code in a lap; 0: empty laps */                                     \
    X(lead)    /* laps before the clocks are first read */                                         \
    X(windows) /* number of timed windows */                                                       \
    X(laps)    /* number of laps in a window */                                                    \
    X(never)   /* larger than any number of laps; no hash has this value */                        \
    X(token)   /* identifies this run; the kernel stores it */

#define CODE_4(i)                                                                                  \
    CODE_STEP(x0, (i))                                                                             \
    CODE_STEP(x1, (i) + 1)                                                                         \
    CODE_STEP(x2, (i) + 2)                                                                         \
    CODE_STEP(x3, (i) + 3)
#define CODE_16(i)   CODE_4(i) CODE_4((i) + 4) CODE_4((i) + 8) CODE_4((i) + 12)
#define CODE_64(i)   CODE_16(i) CODE_16((i) + 16) CODE_16((i) + 32) CODE_16((i) + 48)
#define CODE_128(i)  CODE_64(i) CODE_64((i) + 64)
#define CODE_256(i)  CODE_128(i) CODE_128((i) + 128)
#define CODE_512(i)  CODE_256(i) CODE_256((i) + 256)
#define CODE_1024(i) CODE_512(i) CODE_512((i) + 512)

// CODE_LEG is a stretch of code: `size` instructions, of which the first is instruction i; n is the
// number of the stretch in the lap, from 1.
#define CODE_LEG(size, i, n) CODE_##size(i) CODE_LEAVE(n)
#define CODE_LEGS_4(size, i, n)                                                                    \
    CODE_LEG(size, i, n)                                                                           \
    CODE_LEG(size, (i) + (size), (n) + 1)                                                          \
    CODE_LEG(size, (i) + 2 * (size), (n) + 2) CODE_LEG(size, (i) + 3 * (size), (n) + 3)
#define CODE_LEGS_16(size, i, n)                                                                   \
    CODE_LEGS_4(size, i, n)                                                                        \
    CODE_LEGS_4(size, (i) + 4 * (size), (n) + 4)                                                   \
    CODE_LEGS_4(size, (i) + 8 * (size), (n) + 8) CODE_LEGS_4(size, (i) + 12 * (size), (n) + 12)

// The whole laps of the three kernels: 1024, 8192 and 32768 instructions.
#define CODE_LAP_1K CODE_LEGS_16(64, 0, 1)
#define CODE_LAP_8K                                                                                \
    CODE_LAP_1K CODE_LEGS_16(64, 1024, 17) CODE_LEGS_16(128, 2048, 33) CODE_LEGS_16(256, 4096, 49)
#define CODE_LAP_32K CODE_LAP_8K CODE_LEGS_16(512, 8192, 65) CODE_LEGS_16(1024, 16384, 81)

#if !defined(STEPS)
#elif STEPS == CODE_STEPS_1K
#define CODE_LAP CODE_LAP_1K
#elif STEPS == CODE_STEPS_8K
#define CODE_LAP CODE_LAP_8K
#elif STEPS == CODE_STEPS_32K
#define CODE_LAP CODE_LAP_32K
#endif

#endif
