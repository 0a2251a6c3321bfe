// SPDX-License-Identifier: MIT
// How much time a preset spends on a case and on a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "gpu/gpu.h"
#include "results/results.h"

struct budget {
    unsigned samples;    // in each visit
    uint64_t sample_ns;  // least device time of a sample
    uint64_t timeout_ns; // longest wait for one submission
    unsigned rounds_max; // of a case
    uint64_t case_ns;    // device time of a case; 0 = no limit
    // Time of a benchmark on one device; 0 = no limit. After time_ns no case gets more than the
    // fewest rounds; after time_most_ns no case is visited. A plan that returns to a benchmark, as
    // map's does, gets the whole time again.
    uint64_t time_ns, time_most_ns;
};

// Fills the budget of `preset`, one of PRESET_NAMES or "map". A CPU device gets shorter samples: it
// is slow, and serves only to try fathom out.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// The relative half-width of the interval at which measuring stops: 0.01 for times, 0.05 for the
// median of a distribution, else 0.005.
double budget_goal(const struct benchmark_info *info);

#endif
