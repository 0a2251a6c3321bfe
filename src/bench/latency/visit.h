// SPDX-License-Identifier: MIT
// latency's visit(): one round of one case.
#ifndef BENCH_LATENCY_VISIT_H
#define BENCH_LATENCY_VISIT_H

#include "bench/bench.h"

// In the order of the benchmark's metrics.
enum latency_metric {
    LATENCY_METRIC_NS,
    LATENCY_METRIC_CYCLES,
    LATENCY_METRIC_CONTROL_NS,
    LATENCY_METRIC_CONTROL_CYCLES,
    LATENCY_METRIC_COUNT
};

MUST_CHECK bool latency_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
