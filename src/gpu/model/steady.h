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

// What the workgroups of a dispatch do with one buffer of equal parts (places). Group g reads or
// writes place g % places again and again, element by element, on core g % cores; an incomplete
// last round is spread evenly. bench/prelude/stream.clh declares the same struct.
struct model_stream {
    uint64_t groups;          // number of workgroups in the dispatch
    uint64_t group_bytes;     // bytes that each group moves
    uint64_t places;          // number of places in the buffer
    uint64_t place_bytes;     // bytes of each place
    uint64_t in_flight_bytes; // bytes that a group has in flight at a time; 0 if there is no limit
    // Number of threads of a group. A core runs core_threads / group_threads groups at a time, but
    // at least one. If group_threads is 0, a core runs one group at a time.
    uint32_t group_threads;
    uint32_t past_core; // 1 if no cache of a single core can serve the stream; else 0
    uint32_t writes;    // 1: the stream stores; 0: it loads
    const void *buffer; // address of the buffer's first byte
};

struct model_steady {
    uint32_t level; // index of the level that serves the streams; level_count means memory
    // false if `cycles` cannot be used: the model's file lacks the level's bandwidth, or there are
    // no workgroups
    bool has_bandwidth;
    double cycles; // duration of the dispatch, in core cycles
};

// Computes how long a dispatch with these streams takes in the steady state. core_hz is the core
// clock in Hz. All streams must have the same number of groups. Stores are treated as loads.
//
// The first level whose caches can hold all data that their cores access serves all streams;
// smaller caches evict each line before its next use. With C cores and a buffer of D places, s
// cores that share a cache access min(s, gcd(D, C)) of each gcd(D, C) consecutive places. (Groups
// that access the same place shortly after each other would also hit in smaller caches. This is
// neglected, so their bandwidth is a lower bound.)
//
// The duration is the latency of one load plus the longest of these times ("busiest" means with
// most groups):
// - bytes of the busiest core / bandwidth of a core, at the serving level or a level before it
// - bytes of the busiest cache / its share of the chip's bandwidth, at the same levels
// - bytes of the busiest core / its bytes in flight · latency (Little, Operations Research 9, 1961)
struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *streams, size_t count,
                                       double core_hz);

#endif
