// SPDX-License-Identifier: MIT
// A visit of a case of `preempt`: submits the victim 90 times a second while a hog, if the case has
// one, keeps the device busy. Before that, the first visit runs the hog alone.
#ifndef BENCH_PREEMPT_VISIT_H
#define BENCH_PREEMPT_VISIT_H

#include "bench/bench.h"

enum preempt_metric {
    PREEMPT_METRIC_RESPONSE,
    PREEMPT_METRIC_FRAMES,
    PREEMPT_METRIC_APP_MISSES,
    PREEMPT_METRIC_APP_LATENESS,
    PREEMPT_METRIC_APP_LATENESS_P99,
    PREEMPT_METRIC_APP_FRAMES,
    PREEMPT_METRIC_LATENESS,
    PREEMPT_METRIC_LATENESS_P99,
    PREEMPT_METRIC_P90,
    PREEMPT_METRIC_MOST,
    PREEMPT_METRIC_MISSES,
    PREEMPT_METRIC_SLOWDOWN,
    PREEMPT_METRIC_EXEC,
    PREEMPT_METRIC_WAIT,
    PREEMPT_METRIC_PAUSE,
    PREEMPT_METRIC_COUNT
};

bool preempt_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err);

// Adds the findings about `device` to `run`; conclude.c describes them.
void preempt_conclude(struct run *run, const char *device);

#endif
