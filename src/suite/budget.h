// SPDX-License-Identifier: MIT
// The time that a preset spends on a case and on a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "gpu/gpu.h"
#include "results/results.h"

struct budget {
    unsigned samples;    // number of samples in a visit
    uint64_t sample_ns;  // least device time of a sample
    uint64_t timeout_ns; // longest wait for one submission
    unsigned rounds_max; // most rounds of a case
    uint64_t case_ns;    // most device time of a case; 0: no limit
    // Limits for a benchmark on one device; 0: no limit. After time_ns no case gets more than
    // COLLECT_ROUNDS_MIN rounds; after time_most_ns no case is visited at all. If a plan returns to
    // a benchmark, as map's does, the benchmark gets the whole time again.
    uint64_t time_ns, time_most_ns;
    bool any_clock; // see struct measure_request
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map", "check" or "check-quick"; any other
// name gets the budget of "standard". With all presets except "standard" and "full", CPU devices
// and models (GPU_CAP VIRTUAL_TIME) get samples of 0.5 ms: they are slow, and serve only to try
// fathom out. With every preset, a model has no time limit for a benchmark.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal, the half-width of the interval relative to the median at which measuring stops:
// 0.05 for a distribution, 0.01 if the benchmark's first metric is in ns or cycles, else 0.005.
double budget_goal(const struct benchmark_info *info);

#endif
