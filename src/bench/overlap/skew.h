// SPDX-License-Identifier: MIT
// Whether the device-wide clock reads alike on all cores, found by causality (skew.comp).
#ifndef BENCH_OVERLAP_SKEW_H
#define BENCH_OVERLAP_SKEW_H

#include "measure/clock.h"

struct overlap_skew {
    double behind_ns; // the most that a core's clock was seen behind another's; 0: never
    double reach_ns;  // the least that a published reading was old: what cannot be told
    uint64_t seen;    // readings compared
    unsigned cores;   // that took part; 0: not known
};

// Some hundred microseconds on the device's first queue.
MUST_CHECK bool overlap_skew_probe(struct gpu_scope *scope, const struct measure_clock *clock,
                                   struct overlap_skew *skew, struct error *err);

#endif
