// SPDX-License-Identifier: MIT
// What frames say: numbers from start and end of the workloads, no device here.
#ifndef BENCH_OVERLAP_TALLY_H
#define BENCH_OVERLAP_TALLY_H

#include "bench/overlap/frame.h"

// Numbers of one frame; NaN where the scenario has no such pair. Neighbours on a queue are so
// whatever stands between them on the other one.
struct overlap_tally {
    double frame_ns;
    double same_queue; // mean overlap of neighbours on a queue neither of which waits: dispatches
    double draw_dispatch, draw_draw; // … a draw and a dispatch, two draws
    double cross_queue; // time in which both queues work, over the shorter of their working times
    // Median, from a dispatch's end to the start of the next, where that one waits for it and for
    // none that ended later; from a draw's end to the next dispatch.
    double gap_ns, draw_gap_ns;
    double skew_ns; // between the first starts of the two queues
    double stretch; // mean of a workload's length in the frame over its length alone
    double gain;    // sum of all lengths alone over the frame's length
};

// |a ∩ b| / min(|a|, |b|): 0 = one after the other, 1 = the shorter within the longer.
double overlap_of(const struct overlap_frame *frame, size_t a, size_t b);

// `queues`: of each workload. `alone_ns`: length of each workload by itself.
struct overlap_tally overlap_tally_of(const struct overlap_scenario *scenario,
                                      const unsigned *queues, const double *alone_ns,
                                      const struct overlap_frame *frame);

// ---------------------------------------------------------------- series

enum {
    OVERLAP_GROUPS_SHOWN = 8192,
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
    uint32_t repeats, draw_repeats;
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
// where there are more than OVERLAP_GROUPS_SHOWN.
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
