// SPDX-License-Identifier: MIT
// What C and the kernels of `stream` share.
//
// Arrays are walked in vectors of 16 bytes: four floats or two doubles. A block is THREADS × LOADS
// of them; workgroup g takes the blocks g × pitch, g × pitch + advance …, less than `reach` blocks
// further; thread t of it the vectors t, t + THREADS … of a block. Workgroups that stay take each
// groups-th block, to the end. Others take a few neighbouring blocks, or one. Where a thread takes
// one element (single.comp), blocks are elements.
//
// Data are numbers k / 2^19 (float) and k / 2^43 (double) with an odd k below that power of two in
// size, from a hash: never zero, incompressible, and with so many bits to spare that every
// operation here is exact: the weights below are multiples of 1/4 and add up to 5 at most in size.
#ifndef BENCH_STREAM_STREAM_H
#define BENCH_STREAM_STREAM_H

#define STREAM_INIT   0 // target = value
#define STREAM_READ   1 // the sum of all bits of the source
#define STREAM_COPY   2 // target = source
#define STREAM_SCALE  3 // target = factor × source
#define STREAM_ADD    4 // target = source + other
#define STREAM_TRIAD  5 // target = source + factor × other
#define STREAM_DOT    6 // the sum of source × other
#define STREAM_STAR3  7 // target[i] = ½ source[i − 1] − source[i] + ½ source[i + 1]
#define STREAM_STAR5  8 // ¼, ¼, −1, ½, ½ of source[i − 2] … source[i + 2]
#define STREAM_OPS    9
#define STREAM_FACTOR 3

#define STREAM_VECTOR_BYTES 16
#define STREAM_SLOTS        1024 // words that sums are spread over, and as many for counts
#define STREAM_WEIGHTS      7    // of source[i − 2] … source[i + 2], other[i], and a constant

// What data.comp and data.cl do.
#define STREAM_TASK_FILL  0 // writes the data of a seed
#define STREAM_TASK_CHECK 1 // counts the vectors that are what weights × data give; adds up bits
#define STREAM_TASK_DOT   2 // adds up the bits of what the threads of the dot kernel found

// A mark is an element of which these bits of the word that holds its sign are so: one in 4096.
#define STREAM_MARK_MASK 0xfff00u
#define STREAM_MARK      0x5a500u

#define STREAM_SEED_SOURCE 0x5bd1e995u
#define STREAM_SEED_OTHER  0x1b873593u

// Hash of the element's number: odd multipliers, from the golden ratio and from MurmurHash3's and
// xxHash's published constants.
#define STREAM_MIX_STEP    0x9e3779b9u
#define STREAM_MIX_SCATTER 0x85ebca6bu
#define STREAM_MIX_LOW     0xc2b2ae35u // the low 24 bits of a double come from hash × this

#endif
