// SPDX-License-Identifier: MIT
// Computes metrics and series from the start and end times of workloads. Uses no device.
#ifndef BENCH_OVERLAP_TALLY_H
#define BENCH_OVERLAP_TALLY_H

#include "bench/overlap/frame.h"

// The metrics of one frame. A metric is NaN if the scenario lacks the workloads that it needs. Two
// workloads are neighbours if the scenario lists no other workload of their queues between them.
struct overlap_tally {
    double frame_ns;
    // Mean overlap (0 to 1) of two neighbours on one queue that wait for nothing: of two
    // dispatches, of a draw and a dispatch, and of two draws.
    double same_queue, draw_dispatch, draw_draw;
    double cross_queue; // time in which both queues work ÷ the shorter of their working times
    // Median time from the end of a dispatch (draw_gap_ns: of a draw) to the start of the dispatch
    // that is its neighbour (see above) and waits for it. Leaves out a dispatch that also waits for
    // a workload that ended later.
    double gap_ns, draw_gap_ns;
    // Time between the first starts on the two queues; NaN if the first workload of a queue waits.
    double skew_ns;
    double stretch; // mean over workloads: length in the frame ÷ length when it runs alone
    double gain; // sum of the lengths of all workloads when each runs alone ÷ length of the frame
};

// Returns the time in which workloads a and b both run ÷ the shorter of their lengths: 0 to 1.
double overlap_of(const struct overlap_frame *frame, size_t a, size_t b);

// Returns the metrics of `frame`. queues[w] is the queue of workload w, and alone_ns[w] is its
// length when it runs alone.
struct overlap_tally overlap_tally_of(const struct overlap_scenario *scenario,
                                      const unsigned *queues, const double *alone_ns,
                                      const struct overlap_frame *frame);

// ---------------------------------------------------------------- series

enum {
    OVERLAP_GROUPS_SHOWN = 8192, // maximum number of rows in the series "workgroups"
    OVERLAP_PAIRS_MAX = OVERLAP_WORKLOADS_MAX * (OVERLAP_WORKLOADS_MAX - 1) / 2,
    // Maximum number of frames whose overlaps are kept; later frames replace the oldest ones.
    OVERLAP_HISTORY_MAX = 512
};

// What the host found by polling markers, in all frames with markers of a case.
struct overlap_polling {
    // Numbers of frames with markers, of markers in these frames, of markers that the host saw, and
    // of markers that agreed with the device's clock (struct overlap_agreement).
    size_t frames, markers, seen, agreed;
    // device's clock − host's clock in ns, from the frame that gives the closest bounds
    double offset_ns;
    double known_ns; // uncertainty (±) of offset_ns in ns; 0: no frame gave bounds so far
    // Largest values, over all frames, of these three members of struct overlap_agreement.
    double sweep_ns, bars_ns, held_ns;
};

// Adds what the host found by polling the markers of `frame`.
void overlap_polling_add(struct overlap_polling *polling, const struct overlap_agreement *agreement,
                         const struct overlap_frame *frame, const struct measure_clock *clock);

// What the benchmark keeps for a case from one visit to the next.
struct overlap_history {
    struct overlap_polling polling;
    const struct overlap_scenario *scenario;
    uint32_t repeats, draw_repeats;
    // number of all measured frames, also of those whose overlaps later frames replaced
    size_t frames;
    double overlaps[OVERLAP_PAIRS_MAX][OVERLAP_HISTORY_MAX];
};

// Adds the overlap of each pair of workloads in `frame` to the history.
void overlap_history_add(struct overlap_history *history, const struct overlap_scenario *scenario,
                         const struct overlap_frame *frame);

// The data from which overlap_series_add makes the series of a visit.
struct overlap_shown {
    struct arena *arena;
    const struct overlap_stage *stage;
    const unsigned *queues; // [w]: the queue of workload w
    const struct overlap_history *history;
    const struct overlap_frame *frame;  // a typical frame, with its workgroups
    const struct overlap_frame *marked; // the last frame with markers
};

// Adds these series to the visit. Times are in ns; a lane is the index of a workload.
// "timeline": start, end, lane, queue, after (the last lane for which this one waits; -1: none).
// "workgroups": start, end, lane, group, core (if known), as in struct overlap_group. Left out if
// there are more than OVERLAP_GROUPS_SHOWN.
// "edges": from, to (lanes; `to` waits for `from`). Left out if no workload waits.
// "calibration", one row: tick and step of the device's clock, resolution (shorter times are not
// trusted), behind and reach (struct overlap_skew), offset (device's clock − host's clock), known
// (uncertainty of offset, ±), the numbers of markers, of those seen and of those that agreed, sweep
// and bars (struct overlap_agreement).
// "markers": lane, stamped_start, stamped_end (by the device's clock), polled_start, polled_end (by
// the host's clock, shifted so that the marker with the least delay was seen when it was written),
// marked_start, marked_end (by the device's clock, when it had written the marker). NaN: not seen.
// "matrix": a, b (lanes), overlap (median over the newest frames, at most OVERLAP_HISTORY_MAX),
// low, high (95 % interval by order statistics; the extremes if there are too few frames), ordered
// (1: b waits for a, directly or through others), queue_shared (1: both ran on one queue), frames
// (number of all measured frames).
void overlap_series_add(const struct overlap_shown *shown, struct measure_visit *visit);

#endif
