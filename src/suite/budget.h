// SPDX-License-Identifier: MIT
// Defines how much time a preset spends on a case and on a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "bench/bench.h"

struct budget {
    unsigned samples;    // number of samples to request from a visit
    uint64_t sample_ns;  // minimum device time of a sample in ns
    uint64_t timeout_ns; // maximum time in ns to wait for one submission
    unsigned rounds_min; // minimum number of rounds of a case
    unsigned rounds_max; // maximum number of rounds of a case
    uint64_t case_ns;    // maximum device time of a case in ns; 0 means no limit
    // Limits of the host time in ns for all cases of a benchmark on one device; 0 means no limit.
    // After time_ns, a case is visited only if it has fewer than rounds_min rounds, or for a late
    // round (block_has_time). After time_most_ns, which excludes the driver's time to compile, no
    // case is visited. If `fathom map` returns to a benchmark, both limits start again.
    uint64_t time_ns, time_most_ns;
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map" or a preset of check_plan.c; any other
// name means "standard". A CPU device gets a timeout of at least 30 s. A model
// (GPU_CAP(VIRTUAL_TIME)) gets a timeout of 600 s, no time limit per benchmark, and in "map" five
// rounds. In "quick", "map" and the presets of check_plan.c, CPU devices and models get samples of
// 0.5 ms.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal of a benchmark's cases: the half-width of the interval, divided by the median,
// must be at most the goal. The goal is:
// - 0.05 for a distribution
// - 0.02 for a benchmark of the link to the host
// - 0.01 if the first metric is in ns or cycles
// - 0.005 otherwise
double budget_goal(const struct benchmark *benchmark);

#endif
