// SPDX-License-Identifier: MIT
// Constants that C and the kernels of `strides` share.
//
// A case is one workgroup. The first element of its thread t is
//
//   first = t % across × step + t / across % STRIDES_ROWS × pitch
//
// A thread has LOADS loads in flight. Load k reads the element first + STRIDES_AFTER_…(k, bytes)
// or, in shared memory, the word first + k × STRIDES_SHARED_APART. A turn of the loop repeats these
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

// STRIDES_AFTER_…: how many elements a thread's load k is after its first element.
//
// LINE: each load reads another line, at the same place in it, so all have the same conflicts.
#define STRIDES_AFTER_LINE(k, bytes) ((k) * (STRIDES_LINE_BYTES / (bytes)))
// FOURS: 4 elements apart, so near that loads share lines, but compilers cannot merge them.
#define STRIDES_AFTER_FOURS(k, bytes) ((k)*4)
// RANDOM: each load reads another line, at another place in it. The factor 11 is odd, so 128 bytes
// of loads take every place once.
#define STRIDES_AFTER_RANDOM(k, bytes)                                                             \
    (STRIDES_AFTER_LINE(k, bytes) + ((k)*11 + 5) % (STRIDES_LINE_BYTES / (bytes)))

// Word i of memory: h = i × STEP + SEED; h ^= h >> 15; word = h × SCATTER. The multipliers are odd:
// the golden ratio, and a constant that MurmurHash3 publishes.
#define STRIDES_MIX_STEP    0x9e3779b9u
#define STRIDES_MIX_SEED    0x5bd1e995u
#define STRIDES_MIX_SCATTER 0x85ebca6bu

#endif
