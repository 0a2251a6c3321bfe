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
#define STRIDES_PITCH        4098 // elements from one row of the two-dimensional array to the next
#define STRIDES_LINE_BYTES   128
#define STRIDES_SHARED_WORDS 8192
#define STRIDES_SHARED_APART 8

// STRIDES_AFTER_…(k, bytes): how many elements a thread's load number k lies after the thread's
// first element.
//
// STRIDES_AFTER_LINE: each load reads another cache line, at the same place within it, so all loads
// have the same bank conflicts.
#define STRIDES_AFTER_LINE(k, bytes) ((k) * (STRIDES_LINE_BYTES / (bytes)))
// STRIDES_AFTER_FOURS: the loads of a thread lie 4 elements apart. This is so near that they share
// cache lines, but compilers cannot merge them.
#define STRIDES_AFTER_FOURS(k, bytes) ((k)*4)
// STRIDES_AFTER_RANDOM: each load reads another cache line, at another place within it. The factor
// 11 is odd, so the loads of a thread, 128 bytes in all, take every place once.
#define STRIDES_AFTER_RANDOM(k, bytes)                                                             \
    (STRIDES_AFTER_LINE(k, bytes) + ((k)*11 + 5) % (STRIDES_LINE_BYTES / (bytes)))

// Word i of the memory from which kernels load: h = i × STEP + SEED; h ^= h >> 15; word = h ×
// SCATTER. The multipliers are odd: the golden ratio, and a constant that MurmurHash3 publishes.
#define STRIDES_MIX_STEP    0x9e3779b9u
#define STRIDES_MIX_SEED    0x5bd1e995u
#define STRIDES_MIX_SCATTER 0x85ebca6bu

#endif
