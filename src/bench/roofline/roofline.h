// SPDX-License-Identifier: MIT
// Constants for kernels and the host. Kernels include this file, so it has only #define and #if.
#ifndef BENCH_ROOFLINE_ROOFLINE_H
#define BENCH_ROOFLINE_ROOFLINE_H

// Values of -DNUMBER: the type of the numbers that a kernel computes with.
#define ROOFLINE_F32   0
#define ROOFLINE_F64   1
#define ROOFLINE_F16X2 2

// A thread reads ROOFLINE_THREAD_BYTES of a block, and each value that it reads starts a chain: 32
// chains, or 16 with doubles. On a GPU, a workgroup reads ROOFLINE_BLOCKS blocks (-DBLOCKS), one
// after another, because the benchmark bandwidth reads DRAM fastest in this way.
#define ROOFLINE_THREADS      256
#define ROOFLINE_THREAD_BYTES 128
#define ROOFLINE_BLOCKS       4
#define ROOFLINE_LOADS        (ROOFLINE_THREAD_BYTES / 16)
#define ROOFLINE_BLOCK_BYTES  (ROOFLINE_THREADS * ROOFLINE_THREAD_BYTES)

// Number of steps of each chain in one iteration of the long loop, and of the short loop.
#define ROOFLINE_LONG  16
#define ROOFLINE_SHORT 4

// The data repeat after this many elements of 16 bytes.
#define ROOFLINE_PERIOD 16384

// Number of words for partial sums in the results. As many words for counts follow.
#define ROOFLINE_SLOTS 1024

// Parameters of every kernel of roofline: one 32-bit word each, in this order.
#define ROOFLINE_PARAMS(X)                                                                         \
    X(longs)   /* iterations of the loop with ROOFLINE_LONG steps */                               \
    X(shorts)  /* iterations of the loop with ROOFLINE_SHORT steps */                              \
    X(singles) /* iterations of the loop with one step */                                          \
    X(partial) /* number of chains that make one more step after the loops */                      \
    X(row)     /* number of workgroups in a row of the grid */                                     \
    X(low)     /* bits of the constant b; if b is a double, its lower 32 bits */                   \
    X(high)    /* upper 32 bits of the constant b, if b is a double */

#endif
