// SPDX-License-Identifier: MIT
// A plan chooses the cases that a run measures on one device. It returns the cases one by one. The
// plan of a preset (suite/plan.h) knows all its cases from the start. The plan of `fathom map`
// (map/map.h) chooses further cases by the results of earlier cases. It pauses until it has these
// results.
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/choices.h"

enum plan_step {
    PLAN_CASE,  // *next was set to the next case
    PLAN_PAUSE, // all cases returned so far must be measured before the next call
    PLAN_END    // there are no more cases
};

struct plan_case {
    const struct benchmark *benchmark;
    const struct bench_case *bench_case;
    const char *key;
    size_t index; // number of the case in the plan, counted from 0
};

struct plan {
    enum plan_step (*next)(struct plan *plan, const struct run *so_far, struct plan_case *next);
    size_t total; // number of all cases; if `grows` is true, only of the cases known so far
    bool grows;
    // Returns the number of known cases of this benchmark that `next` has not returned yet.
    size_t (*left)(const struct plan *plan, const struct benchmark *benchmark);
    // Removes the case with the key `key` from the plan and sets *taken to it. `next` then does not
    // return this case. Returns false if the plan has no such case left. NULL if the plan cannot
    // remove cases.
    bool (*take)(struct plan *plan, const char *key, struct plan_case *taken);
    // Adds conclusions from the results of the plan's cases to the run. Called once, after the last
    // case. Optional.
    void (*conclude)(const struct plan *plan, struct run *run);
    // Core clocks in Hz at which some of the plan's cases must run. Before each of these cases, the
    // run locks the device's core clock. (On a simulated device, the benchmark sets the clock.) If
    // the user is not permitted to lock the clock, the run does not start. If clock_count is 0, no
    // clock is locked.
    const double *clocks_hz;
    size_t clock_count;
};

#endif
