// SPDX-License-Identifier: MIT
// Constants that the host and the kernels share. C, GLSL and OpenCL C include this file, so it has
// only #define and #if.
#ifndef BENCH_LATENCY_LATENCY_H
#define BENCH_LATENCY_LATENCY_H

// Number of threads in the workgroup that chases. All of them warm the caches; only the first
// subgroup follows the chain.
#define LATENCY_WORKGROUP 256

// Number of hops in a repeat. On most paths a repeat is the unrolled body of the loop. A window,
// the part of a chase that is timed at once, consists of whole repeats.
#define LATENCY_UNROLL 32

// Number of hops in an iteration of the control kernel's loop: 4 repeats. So a chase of the control
// kernel must have a number of repeats that is a multiple of 4.
#define LATENCY_CONTROL_UNROLL 128

// The largest number of windows that one dispatch times.
#define LATENCY_WINDOWS_MAX 1024

#define LATENCY_ORDER_RANDOM 0
#define LATENCY_ORDER_PLRU   1
#define LATENCY_ORDER_PAGE   2

// The stride in bytes with order=plru: at least as long as the longest cache line.
#define LATENCY_STRIDE_BYTES 512

// An image has one node in each block of 4 × 4 texels. A texel has 8 bytes, so a block has 128.
#define LATENCY_IMAGE_SIDE 4

// The result of a chase: words with the meanings below, then for each window its length in counts
// of the core's counter.
#define LATENCY_OUT_LINK   0 // the link at which the chase ended (two words)
#define LATENCY_OUT_DEVICE 2 // device clock before and after the windows (two words each)
// counts of the core's counter between both readings of the device clock
#define LATENCY_OUT_COUNT 6
// number of the chase (token); the kernel writes it last, when it ends
#define LATENCY_OUT_DONE    7
#define LATENCY_OUT_WARM    8 // never written; keeps the compiler from removing the warm-up
#define LATENCY_OUT_WINDOWS 16
#define LATENCY_OUT_WORDS   (LATENCY_OUT_WINDOWS + LATENCY_WINDOWS_MAX)

// Parameters of every kernel of latency: one 32-bit word each, in this order. A place is a block
// and an offset in bytes in it; order.glsl computes the place of a hop.
#define LATENCY_PARAMS(X)                                                                          \
    X(order)         /* order of the nodes: LATENCY_ORDER_… */                                   \
    X(nodes)         /* number of hops in the chain, after which it begins again */                \
    X(block_bytes)   /* size of a block in bytes: the stride; with order=page, a page */           \
    X(slots)         /* number of places for nodes in a block (a power of two) */                  \
    X(slot_bytes)    /* bytes from one place for a node in a block to the next */                  \
    X(key)           /* key of the permutation of the nodes */                                     \
    X(link_shift)    /* index chains: link × (4 << link_shift) is an offset in bytes */           \
    X(image_columns) /* number of blocks in a row of the image (path=image) */                     \
    X(turns)         /* how often one lap over the chain visits each block */                      \
    X(chunk_shift)   /* pointer chains: log2 of the blocks in a chunk of memory */                 \
    X(start)         /* index of the first hop; in chain.comp: of the first node to write */       \
    X(warm)          /* hops before `start` whose links all threads load first */                  \
    X(touch)         /* number of blocks, one per page, that are read before these hops */         \
    X(touch_step)    /* distance in blocks between the blocks that `touch` counts */               \
    X(lead)          /* untimed repeats before the first window */                                 \
    X(windows)       /* number of timed windows */                                                 \
    X(repeats)       /* number of repeats (LATENCY_UNROLL hops) in a window */                     \
    X(mask)          /* mask of the valid bits of the core's counter */                            \
    X(zero)          /* 0, but the compiler does not know that */                                  \
    X(never)         /* differs from every link, but the compiler does not know that */            \
    X(token)         /* a number that identifies this chase */

#endif
