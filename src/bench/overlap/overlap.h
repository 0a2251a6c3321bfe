// SPDX-License-Identifier: MIT
// What the C code and the kernel of `overlap` must agree on. C, GLSL and OpenCL C include this
// file, so it has only #define and #if.
#ifndef BENCH_OVERLAP_OVERLAP_H
#define BENCH_OVERLAP_OVERLAP_H

#define OVERLAP_WORKGROUP 64

// Number of threads in a block. A scenario gives the size of a workload in blocks, as the published
// tool does (METHOD.md).
#define OVERLAP_BLOCK_THREADS 1024

// Number of xorshift rounds in one turn of the work loop.
#define OVERLAP_ROUNDS 8

// Indices of the words in the record that each workgroup leaves: the device clock when it began and
// when its last thread was done (low and high word each), the workgroup's number, its core, and the
// frame's token. A subgroup of a draw leaves a record too, which has the subgroup's number of
// pixels in place of the workgroup's number.
#define OVERLAP_RECORD_START 0
#define OVERLAP_RECORD_END   2
#define OVERLAP_RECORD_GROUP 4
#define OVERLAP_RECORD_CORE  5
#define OVERLAP_RECORD_TOKEN 6
#define OVERLAP_RECORD_WORDS 8

// Layout of a marker: word 0 is the frame's token. The indices below are those of the device clock
// right before and right after the token was written (low and high word each). A marker has
// OVERLAP_MARKER_WORDS words, so that no two markers share a cache line.
#define OVERLAP_MARKER_SINCE 1
#define OVERLAP_MARKER_UNTIL 3
#define OVERLAP_MARKER_WORDS 32

// In skew.comp, each workgroup publishes its clock in a slot of OVERLAP_SLOT_WORDS words. At its
// end, it writes the words with the indices OVERLAP_FOUND_…: its clock's largest lag behind a stamp
// in another slot, the smallest age of a stamp, the number of stamps, and its core.
#define OVERLAP_SLOT_WORDS   32
#define OVERLAP_FOUND_BEHIND 0
#define OVERLAP_FOUND_AHEAD  1
#define OVERLAP_FOUND_SEEN   2
#define OVERLAP_FOUND_CORE   3
#define OVERLAP_FOUND_WORDS  4

// Parameters of a workload's kernel (work.glsl, overlap.cl): one 32-bit word each, in this order.
#define OVERLAP_PARAMS(X)                                                                          \
    X(token)        /* token of this frame */                                                      \
    X(workload)     /* index of this workload */                                                   \
    X(after)        /* bit set of the workloads whose words this workload reads */                 \
    X(stride)       /* number of result words per workload */                                      \
    X(first_record) /* index of this workload's first record */                                    \
    X(iterations)   /* number of iterations of the work loop */                                    \
    X(turns)        /* number of turns of the inner loop in one iteration */                       \
    X(marked)       /* 1: this frame writes markers that the host polls */                         \
    X(parts)        /* number of parts of the workload: workgroups, or pixels of a draw */         \
    X(count)        /* value that the workload's counters (mark.glsl) have before this frame */    \
    X(zero)         /* 0, but the compiler does not know that */

#endif
