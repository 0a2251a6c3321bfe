// SPDX-License-Identifier: MIT
// Computes the metrics of a frame, and makes the series of a visit. The functions use no device.
#ifndef BENCH_OVERLAP_TALLY_H
#define BENCH_OVERLAP_TALLY_H

#include "bench/overlap/frame.h"

// Returns the time in which workloads a and b both run ÷ the length of the shorter one: 0 to 1.
// Returns 0 if this length is 0.
double overlap_of(const struct overlap_frame *frame, size_t a, size_t b);

// of[m] is the value of metric m (enum overlap_metric) in one frame. It is NaN if the scenario
// lacks the workloads that the metric needs.
struct overlap_tally {
    double of[OVERLAP_METRIC_COUNT];
};

// Returns the metrics of `frame`. alone_ns[w] is the length of workload w when it runs alone.
struct overlap_tally overlap_tally_of(const struct overlap_scenario *scenario,
                                      const double *alone_ns, const struct overlap_frame *frame);

// ---------------------------------------------------------------- series

enum {
    OVERLAP_GROUPS_SHOWN = 8192, // maximum number of rows in the series "workgroups"
    OVERLAP_PAIRS_MAX = OVERLAP_WORKLOADS_MAX * (OVERLAP_WORKLOADS_MAX - 1) / 2,
    // Maximum number of frames whose overlaps are stored. Later frames replace the oldest ones.
    OVERLAP_HISTORY_MAX = 512
};

// What the host found by polling markers, in all frames of a case that left markers.
struct overlap_polling {
    // `markers` counts the markers of all frames, `seen` those that the host saw, and `agreed`
    // those that agreed with the device's clock (struct overlap_agreement).
    size_t markers, seen, agreed;
    // device's clock − host's clock in ns, from the frame with the closest bounds of this offset;
    // NaN until a frame has given bounds
    double offset_ns;
    double known_ns; // uncertainty (±) of offset_ns in ns; NaN until a frame has given bounds
    // The largest sweep_ns, bars_ns and held_ns of all frames (struct overlap_agreement).
    double sweep_ns, bars_ns, held_ns;
};

// Adds to `polling` what polling the markers of `frame` showed. Before the first call, offset_ns
// and known_ns must be NaN, and all other members 0.
void overlap_polling_add(struct overlap_polling *polling, const struct overlap_agreement *agreement,
                         const struct overlap_frame *frame, const struct measure_clock *clock);

// Data of one case that the session keeps from visit to visit.
struct overlap_history {
    struct overlap_polling polling;
    const struct overlap_scenario *scenario;
    uint32_t repeats[2]; // as in struct overlap_stage
    // Number of all measured frames, including those whose overlaps were replaced.
    size_t frames;
    double overlaps[OVERLAP_PAIRS_MAX][OVERLAP_HISTORY_MAX];
};

// Adds the overlap of each pair of workloads in `frame` to the history.
void overlap_history_add(struct overlap_history *history, const struct overlap_scenario *scenario,
                         const struct overlap_frame *frame);

// Adds these series to the visit. `frame` is a typical frame, with its workgroups; `marked` is the
// last frame that left markers. Times are in ns. A lane is the index of a workload.
//   timeline     a row per workload: start, end, lane, queue, after (the last lane for which this
//                lane waits, or −1)
//   workgroups   a row per record: start, end, lane, group, core (if it is known), as in struct
//                overlap_group. Left out if there are more than OVERLAP_GROUPS_SHOWN records
//   edges        from, to (the lane `to` waits for the lane `from`). Left out if no workload waits
//   calibration  one row: tick and step of the device's clock, resolution (shorter times are not
//                trusted), behind and reach (struct overlap_skew), offset, known, markers, seen,
//                agreed, sweep and bars (struct overlap_polling)
//   markers      a row per workload: lane, stamped_start and stamped_end (by the device's clock),
//                polled_start and polled_end (by the host's clock, shifted so that the least delay
//                from writing to seeing a marker is 0), marked_start and marked_end (the device's
//                clock after it wrote the marker). If the host did not see a marker, its polled_…
//                and marked_… are NaN
//   matrix       a row per pair of workloads: a, b (their lanes), overlap (median over the newest
//                frames, at most OVERLAP_HISTORY_MAX), low and high (95 % interval of the median;
//                the extremes if there are too few frames), ordered (1 if b waits for a, directly
//                or through other workloads), queue_shared (1 if both ran on one queue), frames
//                (number of all measured frames)
void overlap_series_add(const struct overlap_stage *stage, const struct overlap_history *history,
                        const struct overlap_frame *frame, const struct overlap_frame *marked,
                        struct measure_visit *visit);

#endif
