// SPDX-License-Identifier: MIT
// What C and the kernels of `strides` share.
//
// One workgroup. Thread t loads from the element
//
//   first = t % across × step + t / across % STRIDES_ROWS × pitch
//
// on: LOADS elements (of the variant), STRIDES_APART_BYTES (in shared memory: STRIDES_SHARED_APART
// words) from one to the next: a whole cache line, so that all of them lie over lines and banks
// alike. A turn of the loop does so until it has made STRIDES_TURN_LOADS.
#ifndef BENCH_STRIDES_STRIDES_H
#define BENCH_STRIDES_STRIDES_H

#define STRIDES_THREADS      1024
#define STRIDES_TURN_LOADS   32
#define STRIDES_ROWS         32
#define STRIDES_PITCH        4098 // elements from one row of a block to the next
#define STRIDES_APART_BYTES  128
#define STRIDES_SHARED_WORDS 8192
#define STRIDES_SHARED_APART 8

// word i of memory: h = i × STEP + SEED; h ^= h >> 15; h × SCATTER. Odd multipliers: the golden
// ratio's and one of MurmurHash3's published constants.
#define STRIDES_MIX_STEP    0x9e3779b9u
#define STRIDES_MIX_SEED    0x5bd1e995u
#define STRIDES_MIX_SCATTER 0x85ebca6bu

#endif
