// SPDX-License-Identifier: MIT
// What the C code and the kernel of `preempt` must agree on. C, GLSL and OpenCL C include this
// file, so it has only #define and #if.
#ifndef BENCH_PREEMPT_PREEMPT_H
#define BENCH_PREEMPT_PREEMPT_H

#define PREEMPT_WORKGROUP 64

// In a draw, a tile of PREEMPT_TILE × PREEMPT_TILE pixels takes the place of a workgroup. A row of
// the render target has PREEMPT_TILES_A_ROW tiles.
#define PREEMPT_TILE        8
#define PREEMPT_TILES_A_ROW 64

// Number of xorshift rounds in one turn of the work loop. The clock is read once per turn.
#define PREEMPT_ROUNDS 64

// The words of a workgroup's record: the device clock when the workgroup began and when its last
// thread was done (in a draw: the subgroup of the tile's first pixel; low and high word each), the
// number of the workgroup, its core, the token of the submission, the longest pause between two
// turns of its first thread (in clock units), and the result word of that thread.
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
    X(first_group)  /* number of the dispatch's first workgroup in the submission */               \
    X(first_record) /* index of this submission's first record */                                  \
    X(stride)       /* every stride-th workgroup leaves a record */                                \
    X(turns)        /* number of turns of the work loop */                                         \
    X(zero)         /* always 0, but the compiler cannot know that */

#endif
