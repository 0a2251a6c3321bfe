// SPDX-License-Identifier: MIT
// What the host and the kernels of `occupancy` must agree on. This file has only #define and #if.
//
// -DVALUES=… is the number of words that a thread keeps: a multiple of 8, up to
// OCCUPANCY_VALUES_MAX.
#ifndef BENCH_OCCUPANCY_OCCUPANCY_H
#define BENCH_OCCUPANCY_OCCUPANCY_H

// At first, value i of thread t is data[i × OCCUPANCY_LANES + t % OCCUPANCY_LANES].
#define OCCUPANCY_LANES      64
#define OCCUPANCY_VALUES_MAX 240

// A step changes value i: x[i] = x[i] × OCCUPANCY_FACTOR + x[i + 1]. For the last value, x[0] takes
// the place of x[i + 1].
#define OCCUPANCY_FACTOR 0x9e3779b1u

// Word i of a workgroup's shared memory is i × OCCUPANCY_SHARED_FACTOR + token.
#define OCCUPANCY_SHARED_FACTOR 0x85ebca6bu

// The words of a workgroup's record: the device clock at its start and when its last thread was
// done (low and high word each), the number of its core, and a token that no other record has.
#define OCCUPANCY_RECORD_START 0
#define OCCUPANCY_RECORD_END   2
#define OCCUPANCY_RECORD_CORE  4
#define OCCUPANCY_RECORD_TOKEN 5
#define OCCUPANCY_RECORD_WORDS 6

// Parameters of the kernel, one 32-bit word each, in this order.
#define OCCUPANCY_PARAMS(X)                                                                        \
    X(token)        /* identifies the run; the record of workgroup g has token + g */              \
    X(hold)         /* minimum time on a core, in ticks of the device's clock */                   \
    X(polls)        /* maximum number of clock reads, after which the wait ends in any case */     \
    X(turns)        /* rounds before the wait, and after it; a round changes each value once */    \
    X(shared_words) /* words of shared memory that a workgroup fills and reads */                  \
    X(shift)        /* distance in words from where a thread writes to where it reads */

// EACH_VALUE(S) expands to S(0) … S(VALUES − 1). A loop would index the values, and values that are
// indexed may not stay in registers.
#define EACH_8(S, b)   S(b) S(b + 1) S(b + 2) S(b + 3) S(b + 4) S(b + 5) S(b + 6) S(b + 7)
#define EACH_32(S, b)  EACH_8(S, b) EACH_8(S, b + 8) EACH_8(S, b + 16) EACH_8(S, b + 24)
#define EACH_128(S, b) EACH_32(S, b) EACH_32(S, b + 32) EACH_32(S, b + 64) EACH_32(S, b + 96)

#if defined(VALUES)
#if VALUES & 128
#define VALUES_128(S) EACH_128(S, 0)
#else
#define VALUES_128(S)
#endif
#if VALUES & 64
#define VALUES_64(S) EACH_32(S, (VALUES & 128)) EACH_32(S, (VALUES & 128) + 32)
#else
#define VALUES_64(S)
#endif
#if VALUES & 32
#define VALUES_32(S) EACH_32(S, (VALUES & 192))
#else
#define VALUES_32(S)
#endif
#if VALUES & 16
#define VALUES_16(S) EACH_8(S, (VALUES & 224)) EACH_8(S, (VALUES & 224) + 8)
#else
#define VALUES_16(S)
#endif
#if VALUES & 8
#define VALUES_8(S) EACH_8(S, (VALUES & 240))
#else
#define VALUES_8(S)
#endif
#define EACH_VALUE(S) VALUES_128(S) VALUES_64(S) VALUES_32(S) VALUES_16(S) VALUES_8(S)
#endif

#endif
