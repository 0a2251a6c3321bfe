// SPDX-License-Identifier: MIT
// What the C code and the kernel of `overlap` must agree on. C, GLSL and OpenCL C include this
// file, so it has only #define and #if.
#ifndef BENCH_OVERLAP_OVERLAP_H
#define BENCH_OVERLAP_OVERLAP_H

#define OVERLAP_WORKGROUP 64

// Scenarios count threads in blocks of this many, as the published tool does.
#define OVERLAP_BLOCK_THREADS 1024

// Number of xorshift rounds in one turn of the work loop.
#define OVERLAP_ROUNDS 8

// The words of a workgroup's record: the device clock at its begin and when its last thread was
// done (low and high word each), its number, its core, and the frame's token. A subgroup of a draw
// leaves a record too, which has its number of pixels in place of the workgroup's number.
#define OVERLAP_RECORD_START 0
#define OVERLAP_RECORD_END   2
#define OVERLAP_RECORD_GROUP 4
#define OVERLAP_RECORD_CORE  5
#define OVERLAP_RECORD_TOKEN 6
#define OVERLAP_RECORD_WORDS 8

// The words of a marker: the frame's token, and the device clock right before and right after the
// token was written (low and high word each). A marker has OVERLAP_MARKER_WORDS words, so that no
// two markers share a cache line.
#define OVERLAP_MARKER_SINCE 1
#define OVERLAP_MARKER_UNTIL 3
#define OVERLAP_MARKER_WORDS 32

// For skew.comp. Each workgroup publishes its clock in a slot of this many words. OVERLAP_FOUND_…:
// what it found in the other slots (largest lag, smallest age, number of stamps), and its core.
#define OVERLAP_SLOT_WORDS   32
#define OVERLAP_FOUND_BEHIND 0
#define OVERLAP_FOUND_AHEAD  1
#define OVERLAP_FOUND_SEEN   2
#define OVERLAP_FOUND_CORE   3
#define OVERLAP_FOUND_WORDS  4

// Parameters of the kernel: one 32-bit word each, in this order.
#define OVERLAP_PARAMS(X)                                                                          \
    X(token)        /* token of this frame */                                                      \
    X(workload)     /* index of this workload */                                                   \
    X(after)        /* bit set of the workloads whose words this workload reads */                 \
    X(stride)       /* result words per workload */                                                \
    X(first_record) /* index of this workload's first record */                                    \
    X(iterations)                                                                                  \
    X(turns)  /* turns of the work loop per iteration */                                           \
    X(marked) /* 1: this frame leaves markers for the host */                                      \
    X(parts)  /* number of parts of the workload: workgroups, or pixels of a draw */               \
    X(count)  /* parts that the counters of the workload have from earlier frames */               \
    X(zero)   /* 0, but the compiler does not know that */

#endif
