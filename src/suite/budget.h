// SPDX-License-Identifier: MIT
// Defines how much time a preset spends on a case and on a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "bench/bench.h"

struct budget {
    unsigned samples;    // samples per visit
    uint64_t sample_ns;  // minimum device time of a sample in ns
    uint64_t timeout_ns; // maximum time in ns to wait for one submission
    unsigned rounds_min; // minimum number of rounds of a case
    unsigned rounds_max; // maximum number of rounds of a case
    uint64_t case_ns;    // maximum device time of a case in ns; 0 means no limit
    // Maximum host time for all cases of a benchmark on one device; 0 means no limit. After
    // time_ns, only two kinds of cases are visited: cases with fewer than rounds_min rounds and,
    // for a short time, imprecise cases with fewer than 4 × rounds_min (block_has_time). After
    // time_most_ns, no case is visited. Time in which the driver compiles
    // (measure_visit.compile_ns) does not count for time_most_ns. A plan may interrupt a benchmark
    // for another one and return to it later, as the plan of `fathom map` does. The benchmark then
    // gets the whole time again.
    uint64_t time_ns, time_most_ns;
    bool any_clock; // true: a sample counts at any core clock (struct measure_request)
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map" or a preset of check_plan.c. Any other
// name gets the budget of "standard". With "quick", "map" and the presets of check_plan.c, CPU
// devices and models (GPU_CAP(VIRTUAL_TIME)) get samples of 0.5 ms. (A CPU is slow, and serves only
// to try out fathom.) The timeout of a submission to a CPU device is at least 30 s. The benchmarks
// of a model have no time limit.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal of a benchmark's cases. A case is finished when half of its interval, relative
// to the median, is at most the goal. The goal is 0.05 for a distribution. For other benchmarks, it
// is 0.02 if the benchmark uses the link to the host, 0.01 if its first metric is in ns or cycles,
// else 0.005.
double budget_goal(const struct benchmark *benchmark);

#endif
