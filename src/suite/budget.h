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
    // time_ns, a case gets more visits only if it has fewer than rounds_min rounds, or late rounds
    // (block_has_time). After time_most_ns, no case is visited. The driver's time to compile
    // (measure_visit.compile_ns) does not count for time_most_ns. The plan of `fathom map` may
    // leave a benchmark and return to it later; the benchmark then gets the whole time again.
    uint64_t time_ns, time_most_ns;
    bool any_clock; // true: samples count at any core clock (measure_request.any_clock)
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map" or a preset of check_plan.c. Any other
// name gets the budget of "standard". Two kinds of devices get other values. For CPU devices, a
// submission may take at least 30 s. Models (GPU_CAP(VIRTUAL_TIME)) have no limit of time for a
// benchmark. With "quick", "map" and the presets of check_plan.c, both kinds get samples of 0.5 ms.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal of a benchmark's cases, as a fraction. A case is precise enough when half of its
// interval, divided by the median, is at most the goal. The goal is:
// - 0.05 for a distribution
// - 0.02 for a benchmark of the link to the host
// - 0.01 if the first metric is in ns or cycles
// - 0.005 otherwise
double budget_goal(const struct benchmark *benchmark);

#endif
