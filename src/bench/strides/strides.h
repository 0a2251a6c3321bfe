// SPDX-License-Identifier: MIT
// What C and the kernels of `strides` share.
//
// One workgroup. Thread t loads from the element
//
//   first = t % across × step + t / across % STRIDES_ROWS × pitch
//
// on: LOADS elements (of the variant), number k of them STRIDES_AFTER_…(k) elements further (in
// shared memory: k × STRIDES_SHARED_APART words). A turn of the loop does so until it has made
// STRIDES_TURN_LOADS.
#ifndef BENCH_STRIDES_STRIDES_H
#define BENCH_STRIDES_STRIDES_H

#define STRIDES_THREADS      1024
#define STRIDES_TURN_LOADS   32
#define STRIDES_ROWS         32
#define STRIDES_PITCH        4098 // elements from one row of a block to the next
#define STRIDES_LINE_BYTES   128
#define STRIDES_SHARED_WORDS 8192
#define STRIDES_SHARED_APART 8

// How many elements load number k of a thread lies after the thread's first element.
//
// LINE: a line for each load, all at the same place in it, so that all use the banks alike.
#define STRIDES_AFTER_LINE(k, bytes) ((k) * (STRIDES_LINE_BYTES / (bytes)))
// FOURS: neighbours, so near that loads share lines, but not so near that a compiler merges them.
#define STRIDES_AFTER_FOURS(k, bytes) ((k)*4)
// RANDOM: a line for each load, at another place in each: the multiplier is odd, so 128 bytes of
// loads take every place once.
#define STRIDES_AFTER_RANDOM(k, bytes)                                                             \
    (STRIDES_AFTER_LINE(k, bytes) + ((k)*11 + 5) % (STRIDES_LINE_BYTES / (bytes)))

// word i of memory: h = i × STEP + SEED; h ^= h >> 15; h × SCATTER. Odd multipliers: the golden
// ratio's and one of MurmurHash3's published constants.
#define STRIDES_MIX_STEP    0x9e3779b9u
#define STRIDES_MIX_SEED    0x5bd1e995u
#define STRIDES_MIX_SCATTER 0x85ebca6bu

#endif
