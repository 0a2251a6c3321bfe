// SPDX-License-Identifier: MIT
// A plan chooses the cases that a run measures on one device. It returns the cases one by one. The
// plan of a preset (suite/plan.h) knows all its cases from the start. The plan of `fathom map`
// (map/map.h) chooses further cases by the results of earlier cases. It pauses until it has these
// results.
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/choices.h"

enum plan_step {
    PLAN_CASE,  // next() has put the next case into *next
    PLAN_PAUSE, // the run must measure all returned cases before it calls next() again
    PLAN_END    // the plan has no more cases
};

struct plan_case {
    const struct benchmark *benchmark;
    const struct bench_case *bench_case;
    const char *key;
    size_t index;   // number of the case in its plan, counted from 0
    bool any_clock; // true if samples count at any core clock (measure_request.any_clock)
};

struct plan {
    enum plan_step (*next)(struct plan *plan, const struct run *so_far, struct plan_case *next);
    size_t total; // number of cases that the plan knows so far, without cases that take() took out
    bool grows;
    // Returns the number of known cases of this benchmark that next() has not returned yet.
    size_t (*left)(const struct plan *plan, const struct benchmark *benchmark);
    // Takes the case with this key out of the plan, so that next() skips it, and sets *taken.
    // Returns false if the plan has no such case left. NULL: cases cannot be taken out of this
    // plan.
    bool (*take)(struct plan *plan, const char *key, struct plan_case *taken);
    // Optional. Adds conclusions from the results of the plan's cases to the run. Called once,
    // after the last measured case.
    void (*conclude)(const struct plan *plan, struct run *run);
    // Core clocks in Hz at which some of the plan's cases must run; none if clock_count is 0.
    // Before such a case, the run locks the clock (of a simulated device, the benchmark sets it).
    // If the clock cannot be locked, the run does not start.
    const double *clocks_hz;
    size_t clock_count;
};

#endif
