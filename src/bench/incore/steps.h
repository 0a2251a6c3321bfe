// SPDX-License-Identifier: MIT
// Shared by kernels in GLSL and in OpenCL C: the steps of a chain, and one iteration of the loop.
// An iteration has LENGTH blocks of steps over 1, 2, 4 or 8 interleaved chains (with -DODD over 3,
// 5, 6 or 7). In kernels for the whole chip (-DPEAK=chains) it has 1024 steps. Each language
// defines FMA, SQRT and so on before it includes this file, which has only #define and #if.
#ifndef BENCH_INCORE_STEPS_H
#define BENCH_INCORE_STEPS_H

#include "bench/incore/incore.h"

#if defined(OPERATION) // true in kernels, which alone define OPERATION

#define IS_INTEGER (NUMBER == INCORE_I32 || NUMBER == INCORE_I64)

// If steps added a constant to an integer, or multiplied it by a constant, a compiler would combine
// the steps. So the steps add x to y and y to x in turn (or multiply them).
#define IS_PAIR (IS_INTEGER && (OPERATION == INCORE_ADD || OPERATION == INCORE_MUL))

// IS_OF_SUBGROUP: the lanes of a subgroup do the operation together. IS_UNIFORM: moreover, all
// lanes must begin with the same values.
#define IS_OF_SUBGROUP (OPERATION >= INCORE_SHUFFLE && OPERATION <= INCORE_LEAST)
#define IS_UNIFORM     (OPERATION == INCORE_VOTE || OPERATION == INCORE_LEAST)

// Operations for which the last bits of the API's result may differ from the host's.
#define IS_INEXACT (!IS_INTEGER && OPERATION >= INCORE_DIV && OPERATION <= INCORE_SIN)

// STEP_A and STEP_B are two successive steps of a chain: STEP_B needs the result of STEP_A.
#if OPERATION == INCORE_FMA
#define STEP_A(i) x##i = FMA(x##i, x##i, b);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_ADD && IS_INTEGER
#define STEP_A(i) x##i += y##i;
#define STEP_B(i) y##i += x##i;
#elif OPERATION == INCORE_ADD
#define STEP_A(i) x##i = x##i + a;
#define STEP_B(i) x##i = x##i + b;
#elif OPERATION == INCORE_MUL && IS_INTEGER
#define STEP_A(i) x##i *= y##i;
#define STEP_B(i) y##i *= x##i;
#elif OPERATION == INCORE_MUL
#define STEP_A(i) x##i = x##i * a;
#define STEP_B(i) x##i = x##i * b;
#elif OPERATION == INCORE_MAD
#define STEP_A(i) x##i = x##i * a + b;
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_DIV
#define STEP_A(i) x##i = a / x##i;
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_SQRT
#define STEP_A(i) x##i = SQRT(x##i);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_RCP
#define STEP_A(i) x##i = RCP(x##i + a);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_RSQRT
#define STEP_A(i) x##i = RSQRT(x##i);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_EXP2
#define STEP_A(i) x##i = EXP2(-x##i);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_SIN
#define STEP_A(i) x##i = SIN(x##i);
#define STEP_B(i) x##i = COS(x##i);
#elif OPERATION == INCORE_SHIFT
#define STEP_A(i) x##i = x##i << a;
#define STEP_B(i) x##i = x##i >> b;
#elif OPERATION == INCORE_POPCOUNT
#define STEP_A(i) x##i = POPCOUNT(x##i);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_DOT
#define STEP_A(i) x##i = DOT(x##i, a);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_DOT4
#define STEP_A(i) x##i = DOT4(x##i, a, b);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_MIXED
#define STEP_A(i)                                                                                  \
    x##i = FMA(x##i, x##i, b);                                                                     \
    y##i = y##i << shift.x;
#define STEP_B(i)                                                                                  \
    x##i = FMA(x##i, x##i, b);                                                                     \
    y##i = y##i >> shift.y;
#elif OPERATION == INCORE_SHUFFLE
#define STEP_A(i) x##i = SHUFFLE_XOR(x##i, a);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_VOTE
#define STEP_A(i) x##i = BALLOT((x##i ^ a) & lane_bit);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_LEAST
#define STEP_A(i) x##i = LEAST(x##i + lane_sum);
#define STEP_B(i) STEP_A(i)
#elif OPERATION == INCORE_BARRIER
#define STEP_A(i) BARRIER();
#define STEP_B(i) STEP_A(i)
#endif

#define CHAINS_1(S)  S(0)
#define CHAINS_2(S)  CHAINS_1(S) S(1)
#define CHAINS_3(S)  CHAINS_2(S) S(2)
#define CHAINS_4(S)  CHAINS_3(S) S(3)
#define CHAINS_5(S)  CHAINS_4(S) S(4)
#define CHAINS_6(S)  CHAINS_5(S) S(5)
#define CHAINS_7(S)  CHAINS_6(S) S(6)
#define CHAINS_8(S)  CHAINS_7(S) S(7)
#define CHAINS_16(S) CHAINS_8(S) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15)

#define ROUND_1  CHAINS_1(STEP_A) CHAINS_1(STEP_B)
#define ROUND_2  CHAINS_2(STEP_A) CHAINS_2(STEP_B)
#define ROUND_3  CHAINS_3(STEP_A) CHAINS_3(STEP_B)
#define ROUND_4  CHAINS_4(STEP_A) CHAINS_4(STEP_B)
#define ROUND_5  CHAINS_5(STEP_A) CHAINS_5(STEP_B)
#define ROUND_6  CHAINS_6(STEP_A) CHAINS_6(STEP_B)
#define ROUND_7  CHAINS_7(STEP_A) CHAINS_7(STEP_B)
#define ROUND_8  CHAINS_8(STEP_A) CHAINS_8(STEP_B)
#define ROUND_16 CHAINS_16(STEP_A) CHAINS_16(STEP_B)

#define TIMES_1(code)  code
#define TIMES_4(code)  code code code code
#define TIMES_8(code)  TIMES_4(code) TIMES_4(code)
#define TIMES_16(code) TIMES_8(code) TIMES_8(code)
#define TIMES_32(code) TIMES_16(code) TIMES_16(code)
#define TIMES_64(code) TIMES_32(code) TIMES_32(code)

// A block has as many whole rounds as fit in INCORE_BLOCK steps. The host counts the steps in the
// same way (incore_chain_steps).
#define BLOCK_1 TIMES_32(ROUND_1)
#define BLOCK_2 TIMES_16(ROUND_2)
#define BLOCK_3 TIMES_8(ROUND_3) ROUND_3 ROUND_3
#define BLOCK_4 TIMES_8(ROUND_4)
#define BLOCK_5 TIMES_4(ROUND_5) ROUND_5 ROUND_5
#define BLOCK_6 TIMES_4(ROUND_6) ROUND_6
#define BLOCK_7 TIMES_4(ROUND_7)
#define BLOCK_8 TIMES_4(ROUND_8)

#if defined(PEAK)
#define CHAINS_HERE PEAK
#if PEAK == 16
#define EACH_CHAIN(S) CHAINS_16(S)
#define TURN_PEAK     TIMES_32(ROUND_16)
#else
#define EACH_CHAIN(S) CHAINS_8(S)
#define TURN_PEAK     TIMES_64(ROUND_8)
#endif
#else
#define EACH_CHAIN(S) CHAINS_8(S)
#define CHAINS_HERE   params.chains
#if LENGTH == 8
#define TURN(n) TIMES_8(BLOCK_##n)
#elif LENGTH == 4
#define TURN(n) TIMES_4(BLOCK_##n)
#else
#define TURN(n) BLOCK_##n
#endif
#if OPERATION == INCORE_BARRIER
#define EACH_COUNT(S) S(1)
#elif defined(ODD)
#define EACH_COUNT(S) S(3) S(5) S(6) S(7)
#else
#define EACH_COUNT(S) S(1) S(2) S(4) S(8)
#endif
#endif

#endif
#endif
