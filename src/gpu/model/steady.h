// SPDX-License-Identifier: MIT
// Computes how long a simulated device takes for streams of loads and stores in their steady state.
// A bandwidth measurement makes too many accesses to simulate each of them.
#ifndef GPU_MODEL_STEADY_H
#define GPU_MODEL_STEADY_H

#include "gpu/model/machine.h"

#include <stddef.h>

enum {
    MODEL_STREAMS_MAX = 2
};

// What the workgroups of a dispatch do with one buffer. The buffer consists of equal parts, called
// places. Group g reads or writes place g % places again and again, element by element. It runs on
// core g % cores, but the groups of an incomplete last round are spread evenly over the cores.
// bench/prelude/stream.clh declares the same struct for kernels.
struct model_stream {
    uint64_t groups;          // number of workgroups in the dispatch
    uint64_t group_bytes;     // bytes that each group moves
    uint64_t places;          // number of equal parts of the buffer
    uint64_t place_bytes;     // bytes of each part
    uint64_t in_flight_bytes; // bytes that a group has in flight at a time; 0 if there is no limit
    // Threads of a group. A core runs core_threads / group_threads groups at a time, but at least
    // one. If group_threads is 0, a core runs one group at a time.
    uint32_t group_threads;
    uint32_t past_core; // 1 if the caches of single cores cannot serve the stream; else 0
    uint32_t writes;    // 1: the stream stores; 0: it loads
    const void *buffer; // address of the buffer's first byte
};

struct model_steady {
    uint32_t level; // index of the level that serves the streams; level_count means memory
    // false if the model's file lacks the level's bandwidth, or if there are no workgroups
    bool has_bandwidth;
    double cycles; // duration of the dispatch, in core cycles
};

// Computes how long a dispatch with these streams takes in the steady state. core_hz is the core
// clock in Hz. All streams must have the same number of groups.
//
// One level serves the streams: the first level in which each cache can hold all data that its
// cores access. In a smaller cache, each line is evicted before it is used again, so that it has no
// hits. With C cores and a buffer of D places, group g runs on core g % C and accesses place g % D.
// So s cores that share a cache access min(s, gcd(D, C)) of each gcd(D, C) consecutive places.
// (Groups that access the same place shortly after each other would also hit in smaller caches.
// This is neglected, so the bandwidth of such groups is a lower bound.)
//
// The duration is the latency of one load plus the longest of these times:
// - the bytes of the core with most groups, divided by a core's bandwidth, at the serving level or
//   at a level before it
// - the bytes of the cache with most groups, divided by its share of the chip's bandwidth, at the
//   same levels
// - the bytes of the core with most groups, divided by its bytes in flight, times the latency
//   (Little, Operations Research 9, 1961)
//
// Stores are treated as loads.
struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *streams, size_t count,
                                       double core_hz);

#endif
