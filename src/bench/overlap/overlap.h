// SPDX-License-Identifier: MIT
// What the C code and the kernel of `overlap` must agree on. Only #define and #if: C, GLSL and
// OpenCL C read it.
#ifndef BENCH_OVERLAP_OVERLAP_H
#define BENCH_OVERLAP_OVERLAP_H

#define OVERLAP_WORKGROUP 64

// A scenario counts threads in blocks of this many, as the published tool did.
#define OVERLAP_BLOCK_THREADS 1024

// Number of xorshift rounds in one turn of the work loop.
#define OVERLAP_ROUNDS 8

// A workgroup's record, in words: the device clock when it began and when its last thread was done
// (low, high), its number, its core, and the frame's token. A subgroup of a draw leaves a record
// too, with its number of pixels in place of a workgroup's number.
#define OVERLAP_RECORD_START 0
#define OVERLAP_RECORD_END   2
#define OVERLAP_RECORD_GROUP 4
#define OVERLAP_RECORD_CORE  5
#define OVERLAP_RECORD_TOKEN 6
#define OVERLAP_RECORD_WORDS 8

// A marker has OVERLAP_MARKER_WORDS words of its own, so that no two markers share a cache line. It
// holds the frame's token, and the device clock right before and right after the token was written
// (low, high).
#define OVERLAP_MARKER_SINCE 1
#define OVERLAP_MARKER_UNTIL 3
#define OVERLAP_MARKER_WORDS 32

// For skew.comp: the words of the slot in which a workgroup publishes its clock, and what the
// workgroup found in the others' slots: largest lag, smallest age, number of stamps; also its core.
#define OVERLAP_SLOT_WORDS   32
#define OVERLAP_FOUND_BEHIND 0
#define OVERLAP_FOUND_AHEAD  1
#define OVERLAP_FOUND_SEEN   2
#define OVERLAP_FOUND_CORE   3
#define OVERLAP_FOUND_WORDS  4

// Parameters of the kernel, one 32-bit word each, in this order.
#define OVERLAP_PARAMS(X)                                                                          \
    X(token)        /* token of this frame */                                                      \
    X(workload)     /* index of this workload */                                                   \
    X(after)        /* bit set of the workloads whose words this one reads */                      \
    X(stride)       /* words per workload in the results */                                        \
    X(first_record) /* index of this workload's first record */                                    \
    X(iterations)                                                                                  \
    X(turns)  /* turns per iteration */                                                            \
    X(marked) /* 1: this frame leaves markers for the host */                                      \
    X(parts)  /* parts of the workload: workgroups, or pixels of a draw */                         \
    X(count)  /* parts that its counters hold from earlier frames */                               \
    X(zero)   /* always 0, which the compiler does not know */

#endif
