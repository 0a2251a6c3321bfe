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

#endif
