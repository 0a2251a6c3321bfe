// SPDX-License-Identifier: MIT
// What the C code and the kernel of `what=neighbours` must agree on. C, GLSL and OpenCL C include
// this file, so it has only #define and #if.
#ifndef BENCH_MAP_MAP_KERNELS_H
#define BENCH_MAP_MAP_KERNELS_H

// Number of hops in one turn of the loop that follows a chain.
#define NEIGHBOURS_UNROLL 8

// Words that each workgroup writes: the link that its last hop loaded; the core's counter before
// and after the timed hops; the number of its core; and the token, which identifies the run.
#define NEIGHBOURS_LINK  0
#define NEIGHBOURS_BEGIN 1
#define NEIGHBOURS_END   2
#define NEIGHBOURS_CORE  3
#define NEIGHBOURS_DONE  4
#define NEIGHBOURS_WORDS 8

// Parameters of the kernel, one 32-bit word each, in this order.
#define NEIGHBOURS_PARAMS(X)                                                                       \
    X(nodes)       /* number of nodes in a workgroup's region */                                   \
    X(pitch_words) /* words from one node to the next */                                           \
    X(key)         /* key of the permutation that orders the nodes */                              \
    X(lead)        /* turns of the loop before the timed ones, while other workgroups start */     \
    X(turns)       /* timed turns of the loop */                                                   \
    X(tail)        /* turns of the loop after the timed ones, while other workgroups are timed */  \
    X(never)       /* a word that no link and no sum of links equals */                            \
    X(token)       /* identifies this run; each workgroup writes it */

#endif
