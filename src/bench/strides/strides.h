// SPDX-License-Identifier: MIT
// What C and the kernels of `strides` share.
//
// One workgroup. The first element of thread t is
//
//   first = t % across × step + t / across % STRIDES_ROWS × pitch
//
// A thread has LOADS loads in flight. Load k reads the element first + STRIDES_AFTER_…(k, bytes);
// in shared memory, the word first + k × STRIDES_SHARED_APART. A turn of the loop repeats these
// loads until there are STRIDES_TURN_LOADS.
#ifndef BENCH_STRIDES_STRIDES_H
#define BENCH_STRIDES_STRIDES_H

#define STRIDES_THREADS      1024
#define STRIDES_TURN_LOADS   32
#define STRIDES_ROWS         32
#define STRIDES_PITCH        4098 // elements from one row of a block to the next
#define STRIDES_LINE_BYTES   128
#define STRIDES_SHARED_WORDS 8192
#define STRIDES_SHARED_APART 8

// The distance of a thread's load k from the thread's first element, in elements.
//
// LINE: each load reads a line of its own, at the same place, so that all have the same conflicts.
#define STRIDES_AFTER_LINE(k, bytes) ((k) * (STRIDES_LINE_BYTES / (bytes)))
// FOURS: 4 elements apart: so near that loads share lines, but a compiler cannot merge them.
#define STRIDES_AFTER_FOURS(k, bytes) ((k)*4)
// RANDOM: each load reads a line of its own, at a different place. The multiplier is odd, so
// 128 bytes of loads take every place once.
#define STRIDES_AFTER_RANDOM(k, bytes)                                                             \
    (STRIDES_AFTER_LINE(k, bytes) + ((k)*11 + 5) % (STRIDES_LINE_BYTES / (bytes)))

// Word i of memory: h = i × STEP + SEED; h ^= h >> 15; h × SCATTER. Odd multipliers: the golden
// ratio's and one of MurmurHash3's published constants.
#define STRIDES_MIX_STEP    0x9e3779b9u
#define STRIDES_MIX_SEED    0x5bd1e995u
#define STRIDES_MIX_SCATTER 0x85ebca6bu

#endif
