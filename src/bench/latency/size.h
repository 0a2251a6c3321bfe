// SPDX-License-Identifier: MIT
// How many hops a visit times, in windows of how many, and how it warms up. Found at a case's first
// visit and kept.
#ifndef BENCH_LATENCY_SIZE_H
#define BENCH_LATENCY_SIZE_H

#include "bench/latency/chase.h"

enum {
    LATENCY_RATIOS_MAX = 64
};

struct latency_memory {
    bool warm;         // one lap by the measuring workgroup, else every page touched
    double hop_ns;     // about
    double hop_counts; // about, by the core's counter; 0 = it has none
    uint32_t lead, windows, repeats;
    uint64_t walked; // hops of all chases so far: the next one goes on from there
    // Time by stamps over time by the counters, one a round: the cross-check.
    double ratios[LATENCY_RATIOS_MAX];
    size_t ratio_count;
};

// Tries the chain out and fills `memory`; no number of this is reported.
MUST_CHECK bool latency_size(struct latency_chase *chase, struct latency_memory *memory,
                             struct error *err);

// What two stamps with no hop between them count, once a session. 0 where nothing counts.
MUST_CHECK bool latency_stamp_counts(struct latency_chase *chase, struct error *err);

#endif
