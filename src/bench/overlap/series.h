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

// How host and device saw the frames with markers, over all visits.
struct overlap_polling {
    size_t frames, markers, seen, agreed;
    double offset_ns, known_ns; // device's clock minus the host's, and how far to either side it is
                                // known: of the frame that knows it best; known 0: of none yet
    double sweep_ns, bars_ns;   // the largest of all frames
};

void overlap_polling_add(struct overlap_polling *polling, const struct overlap_agreement *agreement,
                         const struct overlap_frame *frame, const struct measure_clock *clock);

// What a case keeps over its visits.
struct overlap_history {
    struct overlap_polling polling;
    const struct overlap_scenario *scenario;
    uint32_t turns, draw_turns;
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

// "calibration", one row: tick and step of the device's clock (ns), resolution (what is nearer is
// not told apart), behind (the most that a core's clock was seen behind another's), reach (what
// that could not tell), offset (device's clock minus the host's), known (to either side); markers,
// seen, agreed (within their resolution), sweep (the longest time between two looks) and bars (the
// largest difference between the lengths of a bar).
void overlap_series_calibration(const struct overlap_session *session,
                                const struct overlap_polling *polling, struct measure_visit *visit);

// "edges": from, to: rows of the time line, the second of which waits for the first.
void overlap_series_edges(struct arena *arena, const struct overlap_scenario *scenario,
                          struct measure_visit *visit);

// "markers": lane, stamped_start, stamped_end (by the device), polled_start, polled_end (by the
// host's eyes, the earliest of which is laid on its stamp), of the last frame that left markers.
void overlap_series_markers(struct arena *arena, const struct overlap_stage *stage,
                            const struct overlap_frame *frame, struct measure_visit *visit);

// "matrix": a, b, overlap (median over the frames), low, high (its 95 % interval by order
// statistics), ordered (1: b waits for a, perhaps by way of others), queue_shared (1: both ran on
// one queue, be it that there is no other), frames.
void overlap_series_matrix(struct arena *arena, const struct overlap_scenario *scenario,
                           const unsigned *queues, const struct overlap_history *history,
                           struct measure_visit *visit);

#endif
