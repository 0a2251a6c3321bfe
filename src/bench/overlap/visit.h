// SPDX-License-Identifier: MIT
// A visit of a case of the benchmark overlap runs each workload alone, and then frames with all
// workloads. Of workloads that do the same work on the same queue, only one runs alone.
#ifndef BENCH_OVERLAP_VISIT_H
#define BENCH_OVERLAP_VISIT_H

#include "bench/overlap/frame.h"

enum overlap_metric {
    OVERLAP_METRIC_FRAME,
    OVERLAP_METRIC_SAME_QUEUE,
    OVERLAP_METRIC_CROSS_QUEUE,
    OVERLAP_METRIC_GAP,
    OVERLAP_METRIC_SKEW,
    OVERLAP_METRIC_STRETCH,
    OVERLAP_METRIC_GAIN,
    OVERLAP_METRIC_DRAW_DISPATCH,
    OVERLAP_METRIC_DRAW_DRAW,
    OVERLAP_METRIC_DRAW_GAP,
    OVERLAP_METRIC_COUNT
};

bool overlap_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err);

// Adds the findings about `device` to `run`; conclude.c describes them.
void overlap_conclude(struct run *run, const char *device);

#endif
