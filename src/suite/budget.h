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
    unsigned rounds_min; // rounds of a case before it may end
    unsigned rounds_max; // most rounds of a case
    uint64_t case_ns;    // most device time of a case; 0: no limit
    // Host time of a benchmark on one device; 0: no limit. After time_ns only cases with fewer than
    // rounds_min rounds are visited; after time_most_ns no case is visited. If a plan returns to a
    // benchmark after another one, as map's does, the benchmark gets the whole time again.
    uint64_t time_ns, time_most_ns;
    bool any_clock; // see struct measure_request
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map" or a preset of check_plan.c; any other
// name gets the budget of "standard". With all presets but "standard" and "full", CPU devices and
// models (GPU_CAP(VIRTUAL_TIME)) get samples of 0.5 ms: a CPU is slow, and serves only to try
// fathom out. With every preset, a model gets no time limit for a benchmark.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal: measuring stops when the half-width of the interval, relative to the median, is
// at most this. 0.05 for a distribution, 0.01 if the benchmark's first metric is in ns or cycles,
// else 0.005.
double budget_goal(const struct benchmark_info *info);

#endif
