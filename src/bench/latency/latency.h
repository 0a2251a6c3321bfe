// SPDX-License-Identifier: MIT
// What the C code and the kernels of `latency` must agree on. Only #define and #if: it is read by
// C, by GLSL and by OpenCL C.
#ifndef BENCH_LATENCY_LATENCY_H
#define BENCH_LATENCY_LATENCY_H

// Threads of the measuring workgroup. All of them warm the caches; the first subgroup chases.
#define LATENCY_WORKGROUP 256

// Hops a repeat: windows are whole repeats.
#define LATENCY_UNROLL 32

// Hops a loop of the control, a multiple of a repeat: its repeats are multiples of the ratio.
#define LATENCY_CONTROL_UNROLL 128

// Windows that one dispatch can report.
#define LATENCY_WINDOWS_MAX 1024

#define LATENCY_ORDER_RANDOM 0
#define LATENCY_ORDER_PLRU   1
#define LATENCY_ORDER_PAGE   2

// plru walks the region in strides of this many bytes: at least the longest cache line.
#define LATENCY_STRIDE_BYTES 512

// Image nodes stand one to a block of 4 × 4 texels of 8 bytes: 128 bytes.
#define LATENCY_IMAGE_SIDE 4

// Words of the result: a head, then one length a window.
#define LATENCY_OUT_LINK    0 // where the chase ended (two words)
#define LATENCY_OUT_DEVICE  2 // device clock before and after the windows (two words each)
#define LATENCY_OUT_COUNT   6 // core counter between the readings of the device clock
#define LATENCY_OUT_DONE    7 // the run's token, written last
#define LATENCY_OUT_WARM    8 // keeps the warming loads alive; never written in fact
#define LATENCY_OUT_WINDOWS 16
#define LATENCY_OUT_WORDS   (LATENCY_OUT_WINDOWS + LATENCY_WINDOWS_MAX)

// Parameters of every kernel here, one 32-bit word each, in this order. Positions are (block, byte
// in it): order.glsl says how a hop's number becomes one.
#define LATENCY_PARAMS(X)                                                                          \
    X(order)         /* LATENCY_ORDER_… */                                                       \
    X(nodes)         /* hops of a lap */                                                           \
    X(block_bytes)   /* random: the pitch; plru: the stride; page: the page */                     \
    X(slots)         /* places a block (a power of two) */                                         \
    X(slot_bytes)    /* from one place to the next */                                              \
    X(key)           /* of the bijection */                                                        \
    X(link_shift)    /* index chains: a link counts units of 4 << link_shift bytes */              \
    X(image_columns) /* image: blocks a row */                                                     \
    X(turns)         /* times that a lap comes to each block, each time at another place */        \
    X(chunk_shift)   /* pointer chains: blocks a chunk of memory, as a power of two */             \
    X(start)         /* number of the first hop; chain.comp: first node to write */                \
    X(warm)          /* hops before it that the whole workgroup reads first */                     \
    X(touch)         /* blocks that it reads before that, one in each page */                      \
    X(touch_step)    /* blocks from one of those to the next */                                    \
    X(lead)          /* untimed repeats */                                                         \
    X(windows)       /* timed windows */                                                           \
    X(repeats)       /* repeats a window */                                                        \
    X(mask)          /* valid bits of the core's counter */                                        \
    X(zero)          /* 0, unknown to the compiler */                                              \
    X(never)         /* a word that no link has */                                                 \
    X(token)         /* of this run */

#endif
