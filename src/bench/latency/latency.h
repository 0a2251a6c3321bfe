// SPDX-License-Identifier: MIT
// Constants that the host and the kernels share. Only #define and #if: C, GLSL and OpenCL C read
// it.
#ifndef BENCH_LATENCY_LATENCY_H
#define BENCH_LATENCY_LATENCY_H

// Threads of the measuring workgroup. All of them warm the caches; the first subgroup chases.
#define LATENCY_WORKGROUP 256

// Hops in a repeat. A window consists of whole repeats.
#define LATENCY_UNROLL 32

// Hops in a loop iteration of the control kernel: 4 repeats. So the number of its repeats is a
// multiple of 4.
#define LATENCY_CONTROL_UNROLL 128

// The largest number of windows of a dispatch.
#define LATENCY_WINDOWS_MAX 1024

#define LATENCY_ORDER_RANDOM 0
#define LATENCY_ORDER_PLRU   1
#define LATENCY_ORDER_PAGE   2

// The stride of order plru in bytes: at least the longest cache line.
#define LATENCY_STRIDE_BYTES 512

// An image has one node in each block of 4 × 4 texels of 8 bytes: 128 bytes.
#define LATENCY_IMAGE_SIDE 4

// Words of a chase's result: a head, then the length of each window in counts of the core's
// counter.
#define LATENCY_OUT_LINK    0 // where the chase ended (two words)
#define LATENCY_OUT_DEVICE  2 // device clock before and after the windows (two words each)
#define LATENCY_OUT_COUNT   6 // core counter's counts between the readings of the device clock
#define LATENCY_OUT_DONE    7 // the run's token, written last
#define LATENCY_OUT_WARM    8 // keeps the compiler from removing the warm-up; never written
#define LATENCY_OUT_WINDOWS 16
#define LATENCY_OUT_WORDS   (LATENCY_OUT_WINDOWS + LATENCY_WINDOWS_MAX)

// Parameters of every kernel here, one 32-bit word each, in this order. A place is (block, byte
// in the block); order.glsl computes the place of a hop.
#define LATENCY_PARAMS(X)                                                                          \
    X(order)         /* LATENCY_ORDER_… */                                                       \
    X(nodes)         /* hops of a lap */                                                           \
    X(block_bytes)   /* random, plru: the stride; page: the page */                                \
    X(slots)         /* places in a block (a power of two) */                                      \
    X(slot_bytes)    /* bytes from one place to the next */                                        \
    X(key)           /* key of the permutation */                                                  \
    X(link_shift)    /* index chains: a link counts units of 4 << link_shift bytes */              \
    X(image_columns) /* image: blocks in a row */                                                  \
    X(turns)         /* visits of each block in a lap, each at another place */                    \
    X(chunk_shift)   /* pointer chains: log2 of the blocks in a chunk of memory */                 \
    X(start)         /* number of the first hop; chain.comp: first node to write */                \
    X(warm)          /* hops before `start`, which the whole workgroup reads first */              \
    X(touch)         /* blocks that the workgroup reads before those hops, one in each page */     \
    X(touch_step)    /* blocks from one of the touched blocks to the next */                       \
    X(lead)          /* untimed repeats, before the windows */                                     \
    X(windows)       /* timed windows */                                                           \
    X(repeats)       /* repeats in a window */                                                     \
    X(mask)          /* valid bits of the core's counter */                                        \
    X(zero)          /* 0, but the compiler does not know that */                                  \
    X(never)         /* a word that no link has */                                                 \
    X(token)         /* identifies this run */

#endif
