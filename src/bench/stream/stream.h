// SPDX-License-Identifier: MIT
// Constants that C and the kernels of `stream` share.
//
// Kernels walk through arrays in vectors of 16 bytes: four floats or two doubles. A block has
// THREADS × LOADS vectors. Workgroup g takes the blocks g × pitch, g × pitch + advance …, less than
// `reach` blocks after the first. Its thread t takes the vectors t, t + THREADS … of each block.
// Workgroups that loop (occupancy) take every groups-th block, to the end. Other workgroups take
// one block or a few neighbouring blocks. If each thread takes one element (single.cl), blocks are
// elements.
//
// Data are numbers k / 2^19 (float) and k / 2^43 (double). k is odd, comes from a hash, and |k| is
// less than 2^19 or 2^43. So no number is zero and data do not compress. Operations that write are
// exact, because weights are multiples of 1/4, and their absolute values add up to at most 5.
#ifndef BENCH_STREAM_STREAM_H
#define BENCH_STREAM_STREAM_H

#define STREAM_INIT   0 // sets target = value
#define STREAM_READ   1 // adds up all 32-bit words of the source (single.cl: counts marks)
#define STREAM_COPY   2 // sets target = source
#define STREAM_SCALE  3 // sets target = factor × source
#define STREAM_ADD    4 // sets target = source + other
#define STREAM_TRIAD  5 // sets target = source + factor × other
#define STREAM_DOT    6 // adds up source × other
#define STREAM_STAR3  7 // sets target[i] = ½ source[i − 1] − source[i] + ½ source[i + 1]
#define STREAM_STAR5  8 // target[i] = sum of source[i − 2] … source[i + 2] times ¼, ¼, −1, ½, ½
#define STREAM_OPS    9
#define STREAM_FACTOR 3

#define STREAM_VECTOR_BYTES 16
// Number of words for partial sums; as many words for counts follow.
#define STREAM_SLOTS 1024
// Number of weights: of source[i − 2] … source[i + 2], other[i], and a constant.
#define STREAM_WEIGHTS 7

// The tasks of the kernels data.comp and data.cl.
#define STREAM_TASK_FILL  0 // fills an array with the data that belong to a seed
#define STREAM_TASK_CHECK 1 // counts the correct vectors, and adds up all words or counts marks
#define STREAM_TASK_DOT   2 // adds up the bits of the sums that the dot kernel's threads must find

// About one element in 4096 is a mark: its word with the sign, & STREAM_MARK_MASK, is STREAM_MARK.
#define STREAM_MARK_MASK 0xfff00u
#define STREAM_MARK      0x5a500u

#define STREAM_SEED_SOURCE 0x5bd1e995u
#define STREAM_SEED_OTHER  0x1b873593u

// Odd multipliers of the hash that makes the data from an element's number: the golden ratio, and
// constants that MurmurHash3 and xxHash publish.
#define STREAM_MIX_STEP    0x9e3779b9u
#define STREAM_MIX_SCATTER 0x85ebca6bu
#define STREAM_MIX_LOW     0xc2b2ae35u // for the low 24 bits of a double: (hash × this number) >> 8

#endif
