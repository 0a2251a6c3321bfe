// SPDX-License-Identifier: MIT
// The series that a result of `overlap` carries: the time line of a typical frame, its workgroups,
// and the overlap of every two workloads.
#ifndef BENCH_OVERLAP_SERIES_H
#define BENCH_OVERLAP_SERIES_H

#include "bench/overlap/frame.h"

enum {
    OVERLAP_GROUPS_TOLD = 8192,
    OVERLAP_PAIRS_MAX = OVERLAP_WORKLOADS_MAX * (OVERLAP_WORKLOADS_MAX - 1) / 2,
    OVERLAP_HISTORY_MAX = 512 // frames; later ones replace the oldest
};

// What a case keeps over its visits.
struct overlap_history {
    const struct overlap_scenario *scenario;
    uint32_t turns;
    size_t frames; // seen in all
    double overlaps[OVERLAP_PAIRS_MAX][OVERLAP_HISTORY_MAX];
};

void overlap_history_add(struct overlap_history *history, const struct overlap_scenario *scenario,
                         const struct overlap_frame *frame);

// "timeline": start, end (ns), lane (the workload), queue, after (row of the last of those that it
// waits for, −1: none).
void overlap_series_timeline(struct arena *arena, const struct overlap_scenario *scenario,
                             const unsigned *queues, const struct overlap_frame *frame,
                             struct measure_visit *visit);

// "workgroups": start, end (ns), lane (the workload), group and, where it is known, core. Left out
// where there are more than OVERLAP_GROUPS_TOLD.
void overlap_series_groups(struct arena *arena, bool cores, const struct overlap_frame *frame,
                           struct measure_visit *visit);

// "matrix": a, b, overlap (median over the frames), low, high (its 95 % interval by order
// statistics), ordered (1: b waits for a, perhaps by way of others), queue_shared, frames.
void overlap_series_matrix(struct arena *arena, const struct overlap_scenario *scenario,
                           const struct overlap_history *history, struct measure_visit *visit);

#endif
