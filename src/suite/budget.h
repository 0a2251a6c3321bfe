// SPDX-License-Identifier: MIT
// How much work a preset puts into a case and into a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "gpu/gpu.h"
#include "results/results.h"

struct budget {
    unsigned samples;    // a visit
    uint64_t sample_ns;  // device time of a sample, at least
    uint64_t timeout_ns; // of one submission
    unsigned rounds_max; // of a case
    uint64_t case_ns;    // device time of a case; 0 = no limit
    // Of a benchmark on one device, as long as a plan stays with it: map's comes back to its
    // benchmarks and gives them the time anew. 0 = no limit. Rounds beyond the fewest are made
    // while the first lasts, the fewest while the second does.
    uint64_t time_ns, time_most_ns;
};

// `preset` is one of PRESET_NAMES, or "map". CPUs that stand in for a GPU get shorter samples: they
// are there for trying out, and slow.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Relative half-width of the interval to stop at: 1 % for latencies, 5 % for the median of a
// distribution, else 0.5 %.
double budget_goal(const struct benchmark_info *info);

#endif
