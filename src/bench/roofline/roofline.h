// SPDX-License-Identifier: MIT
// Numbers that the kernels and the host share. Only #define and #if here.
#ifndef BENCH_ROOFLINE_ROOFLINE_H
#define BENCH_ROOFLINE_ROOFLINE_H

// -DNUMBER: what is computed with.
#define ROOFLINE_F32   0
#define ROOFLINE_F64   1
#define ROOFLINE_F16X2 2

// A thread reads so many bytes at a time and makes a chain of each value: 32, of doubles 16. On a
// GPU it does so for several blocks of its workgroup (-DBLOCKS), one after another: `bandwidth`
// reads DRAM fastest so.
#define ROOFLINE_THREADS      256
#define ROOFLINE_THREAD_BYTES 128
#define ROOFLINE_BLOCKS       4
#define ROOFLINE_LOADS        (ROOFLINE_THREAD_BYTES / 16)
#define ROOFLINE_BLOCK_BYTES  (ROOFLINE_THREADS * ROOFLINE_THREAD_BYTES)

// Steps of a chain in one turn of each loop.
#define ROOFLINE_LONG  16
#define ROOFLINE_SHORT 4

// The data come again after so many 16-byte elements.
#define ROOFLINE_PERIOD 16384

// Words that sums are spread over, and as many for counts.
#define ROOFLINE_SLOTS 1024

// Parameters of every kernel here, one 32-bit word each, in this order.
#define ROOFLINE_PARAMS(X)                                                                         \
    X(longs)   /* turns of ROOFLINE_LONG steps */                                                  \
    X(shorts)  /* turns of ROOFLINE_SHORT */                                                       \
    X(singles) /* steps */                                                                         \
    X(partial) /* chains with one more step */                                                     \
    X(row)     /* workgroups in a row of the grid */                                               \
    X(low)     /* the constant of x·x + b: its bits */                                            \
    X(high)    /* of a double, the upper ones */

#endif
