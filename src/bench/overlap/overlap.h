// SPDX-License-Identifier: MIT
// What the C code and the kernel of `overlap` must agree on. Only #define and #if: it is read by C
// and by GLSL.
#ifndef BENCH_OVERLAP_OVERLAP_H
#define BENCH_OVERLAP_OVERLAP_H

#define OVERLAP_WORKGROUP 64

// A scenario counts threads in blocks of this many, as the published tool did.
#define OVERLAP_BLOCK_THREADS 1024

// xorshift rounds of one turn of the work loop.
#define OVERLAP_ROUNDS 8

// A workgroup's record, in words: the device clock when it began and when its last thread was done
// (low, high), its number, its core, and the frame's token. A draw's subgroup leaves one likewise,
// with the number of its pixels in place of its own.
#define OVERLAP_RECORD_START 0
#define OVERLAP_RECORD_END   2
#define OVERLAP_RECORD_GROUP 4
#define OVERLAP_RECORD_CORE  5
#define OVERLAP_RECORD_TOKEN 6
#define OVERLAP_RECORD_WORDS 8

// A marker has this many words for itself, so that no two share a line: the frame's token, and the
// device clock right before and right after the token was written (low, high).
#define OVERLAP_MARKER_SINCE 1
#define OVERLAP_MARKER_UNTIL 3
#define OVERLAP_MARKER_WORDS 32

// skew.comp: words a workgroup has to publish in, and what it found.
#define OVERLAP_SLOT_WORDS   32
#define OVERLAP_FOUND_BEHIND 0
#define OVERLAP_FOUND_AHEAD  1
#define OVERLAP_FOUND_SEEN   2
#define OVERLAP_FOUND_CORE   3
#define OVERLAP_FOUND_WORDS  4

// Parameters of the kernel, one 32-bit word each, in this order.
#define OVERLAP_PARAMS(X)                                                                          \
    X(token)        /* of this frame */                                                            \
    X(workload)     /* which one this is */                                                        \
    X(after)        /* bit set of the workloads whose words it reads */                            \
    X(stride)       /* words a workload has in the results */                                      \
    X(first_record) /* of this workload */                                                         \
    X(iterations)                                                                                  \
    X(turns)  /* an iteration */                                                                   \
    X(marked) /* 1: this frame leaves markers for the host */                                      \
    X(parts)  /* of the workload: workgroups, or pixels of a draw */                               \
    X(count)  /* of them that the workload's counters had counted before this frame */             \
    X(zero)   /* 0, unknown to the compiler */

#endif
