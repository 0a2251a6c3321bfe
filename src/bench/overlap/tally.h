// SPDX-License-Identifier: MIT
// Metrics and series, computed from the starts and ends of workloads. Uses no device.
#ifndef BENCH_OVERLAP_TALLY_H
#define BENCH_OVERLAP_TALLY_H

#include "bench/overlap/frame.h"

// The metrics of one frame; NaN if the scenario has no such pair. Two workloads are neighbours if
// no other workload of their queues stands between them.
struct overlap_tally {
    double frame_ns;
    // Mean overlap of neighbours on one queue of which neither waits: of two dispatches, of a draw
    // and a dispatch, of two draws.
    double same_queue, draw_dispatch, draw_draw;
    double cross_queue; // time in which both queues work, over the shorter of their working times
    // Median time from the end of a dispatch (draw_gap_ns: of a draw) to the start of the dispatch
    // after it, if that one waits for it and for none that ended later.
    double gap_ns, draw_gap_ns;
    double skew_ns; // between the first starts of the two queues
    double stretch; // mean of a workload's length in the frame over its length alone
    double gain;    // sum of all lengths alone over the frame's length
};

// The time in which workloads a and b both run, over the shorter of their lengths: 0 to 1.
double overlap_of(const struct overlap_frame *frame, size_t a, size_t b);

// `queues`: the queue of each workload. `alone_ns`: the length of each workload alone.
struct overlap_tally overlap_tally_of(const struct overlap_scenario *scenario,
                                      const unsigned *queues, const double *alone_ns,
                                      const struct overlap_frame *frame);

// ---------------------------------------------------------------- series

enum {
    OVERLAP_GROUPS_SHOWN = 8192,
    OVERLAP_PAIRS_MAX = OVERLAP_WORKLOADS_MAX * (OVERLAP_WORKLOADS_MAX - 1) / 2,
    OVERLAP_HISTORY_MAX = 512 // frames; later ones replace the oldest
};

// What polling found in the frames with markers, over all visits.
struct overlap_polling {
    size_t frames, markers, seen, agreed;
    double offset_ns;         // device's clock minus the host's, from the frame that bounds it best
    double known_ns;          // uncertainty of offset_ns, to either side; 0: no frame bounds it yet
    double sweep_ns, bars_ns; // the largest of all frames
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

// What the series of a visit are made of.
struct overlap_shown {
    struct arena *arena;
    const struct overlap_stage *stage;
    const unsigned *queues; // of each workload
    const struct overlap_history *history;
    const struct overlap_frame *frame;  // a typical one, with its workgroups
    const struct overlap_frame *marked; // the last frame with markers
};

// Adds these series to the visit; times are in ns:
// "timeline": start, end, lane (the workload), queue, after (the last lane that it waits for; -1:
// none).
// "workgroups": start, end, lane, group, core (if known). Left out above OVERLAP_GROUPS_SHOWN.
// "edges": from, to: lanes; the second waits for the first. Left out if nothing waits.
// "calibration", one row: tick and step of the device's clock, resolution (shorter times are not
// trusted), behind and reach (struct overlap_skew), offset (device's clock minus the host's), known
// (uncertainty of offset, to either side), markers, seen, agreed (how many of them), sweep and bars
// (struct overlap_agreement).
// "markers": lane, stamped_start, stamped_end (by the device's clock), polled_start, polled_end (by
// the host's clock, shifted so that the earliest marker coincides with its stamp).
// "matrix": a, b (lanes), overlap (median over the frames), low, high (95 % interval by order
// statistics), ordered (1: b waits for a, directly or through others), queue_shared (1: both ran on
// one queue), frames.
void overlap_series_add(const struct overlap_shown *shown, struct measure_visit *visit);

#endif
