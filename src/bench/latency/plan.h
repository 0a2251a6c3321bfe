// SPDX-License-Identifier: MIT
// Which cases a preset and the user's choices make: latency's plan().
#ifndef BENCH_LATENCY_PLAN_H
#define BENCH_LATENCY_PLAN_H

#include "bench/bench.h"

// In the order of the benchmark's params; a case has its values in this order.
enum latency_param {
    LATENCY_PARAM_PATH,
    LATENCY_PARAM_CHAIN,
    LATENCY_PARAM_ORDER,
    LATENCY_PARAM_BYTES,
    LATENCY_PARAM_LOAD,
    LATENCY_PARAM_PITCH,
    LATENCY_PARAM_PAGE,
    LATENCY_PARAM_COUNT
};

MUST_CHECK bool latency_plan(const struct bench_request *request, struct bench_case_list *list,
                             struct error *err);

#endif
