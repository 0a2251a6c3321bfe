// SPDX-License-Identifier: MIT
// The time that a preset spends on a case and on a benchmark.
#ifndef SUITE_BUDGET_H
#define SUITE_BUDGET_H

#include "bench/bench.h"

struct budget {
    unsigned samples;    // samples per visit
    uint64_t sample_ns;  // minimum device time of a sample
    uint64_t timeout_ns; // maximum time to wait for one submission
    unsigned rounds_min; // minimum number of rounds of a case
    unsigned rounds_max; // maximum number of rounds of a case
    uint64_t case_ns;    // maximum device time of a case; 0: no limit
    // Host time for all cases of a benchmark on one device; 0: no limit. After time_ns only cases
    // with fewer than rounds_min rounds are visited, and for a short time imprecise cases with
    // fewer than twice as many (block_has_time); after time_most_ns none. Time in which the
    // driver compiles (measure_visit.compile_ns) does not count for time_most_ns. If a plan
    // interrupts a benchmark for another one and returns later, as map's plan does, the benchmark
    // gets the whole time again.
    uint64_t time_ns, time_most_ns;
    bool any_clock; // true: samples count whatever the core clock was (struct measure_request)
};

// Fills the budget of `preset`: one of PRESET_NAMES, "map" or a preset of check_plan.c. Any other
// name gets the budget of "standard". CPU devices and models (GPU_CAP(VIRTUAL_TIME)) get samples of
// 0.5 ms, except with "standard" and "full"; for a CPU because it is slow and serves only to try
// out fathom. Waits for a submission to a CPU device may last 30 s. The benchmarks of a model have
// no time limit.
void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget);

// Returns the goal of a benchmark's cases: a case is finished when half of its interval, relative
// to the median, is at most the goal. It is 0.05 for a distribution, 0.02 if the benchmark uses the
// link to the host, 0.01 if its first metric is in ns or cycles, else 0.005.
double budget_goal(const struct benchmark *benchmark);

#endif
