// SPDX-License-Identifier: MIT
// What streams of loads and stores reach on a model in their steady state, from a description of
// them: as many as a measurement of bandwidth makes nobody can simulate one by one.
#ifndef GPU_MODEL_STEADY_H
#define GPU_MODEL_STEADY_H

#include "gpu/model/machine.h"

#include <stddef.h>

enum {
    MODEL_STREAMS_MAX = 2
};

// What the workgroups of a dispatch do with one buffer; bench/prelude/stream.clh has the same for
// kernels. Group g runs on core g % cores and goes through place g % places, element after element,
// round and round.
struct model_stream {
    uint64_t groups;          // workgroups of the dispatch
    uint64_t group_bytes;     // that each of them moves
    uint64_t places;          // parts of the buffer
    uint64_t place_bytes;     // of each
    uint64_t in_flight_bytes; // of a group, under way at a time; 0: as many as it takes
    uint32_t group_threads;   // a core holds as many groups as fit its threads; 0: one
    uint32_t past_core;       // 1: a level that a core has for itself serves none of it
    uint32_t writes;          // 1: stores, else loads
    const void *buffer;       // its beginning
};

struct model_steady {
    uint32_t level;     // that has what is moved; level_count: memory
    bool has_bandwidth; // false: the file tells no bandwidth of that level
    double cycles;      // that the dispatch takes, from the first load to the last
};

// The streams of one dispatch (same groups), as though it went on for ever, at `core_hz`.
//
// Where it is served: in a lap through more than a cache holds, the line that is wanted next is the
// one that was dropped last, so a level serves all or nothing. A cache that s of the C cores share
// sees, of D places that groups take in turn, those whose number its cores' groups have: of each
// gcd(D, C) in a row, s. The first level that holds them serves. Groups that follow each other
// closely through one place that no level holds would find more: for them it is the least.
//
// How long it takes, the longest of
//   the bytes of the core with most groups over its bandwidth, which is the least of that level's
//     and of those before it, and of what is under way over the latency of the level (Little,
//     Operations Research 9, 1961);
//   at each of these levels, the bytes of the cache with most groups over its part of the chip's
//     bandwidth;
// and the latency of one load. Stores are taken for loads.
struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *streams, size_t count,
                                       double core_hz);

#endif
