// SPDX-License-Identifier: MIT
// What the C code and the kernel of `preempt` must agree on. Only #define and #if: it is read by C,
// GLSL and OpenCL C.
#ifndef BENCH_PREEMPT_PREEMPT_H
#define BENCH_PREEMPT_PREEMPT_H

#define PREEMPT_WORKGROUP 64

// In a draw, a tile stands for a workgroup. A tile has PREEMPT_TILE pixels on each side; a row of
// the target has PREEMPT_TILES_A_ROW tiles.
#define PREEMPT_TILE        8
#define PREEMPT_TILES_A_ROW 64

// Number of xorshift rounds in one turn of the work loop. The clock is read once per turn.
#define PREEMPT_ROUNDS 64

// A workgroup's record, in words: the device clock when it began and when its last thread was done
// (low, high), its number, its core, the submission's token, the longest pause that its first
// thread saw between two turns (clock units), and that thread's word.
#define PREEMPT_RECORD_START 0
#define PREEMPT_RECORD_END   2
#define PREEMPT_RECORD_GROUP 4
#define PREEMPT_RECORD_CORE  5
#define PREEMPT_RECORD_TOKEN 6
#define PREEMPT_RECORD_PAUSE 7
#define PREEMPT_RECORD_WORD  8
#define PREEMPT_RECORD_WORDS 9

// Parameters of the kernel, one 32-bit word each, in this order.
#define PREEMPT_PARAMS(X)                                                                          \
    X(token)        /* token of this submission; no other submission has it */                     \
    X(first_group)  /* number of this dispatch's first group in the submission */                  \
    X(first_record) /* index of this submission's first record */                                  \
    X(stride)       /* every stride-th group leaves a record */                                    \
    X(turns)                                                                                       \
    X(zero) /* always 0, which the compiler does not know */

#endif
