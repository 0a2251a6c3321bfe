// SPDX-License-Identifier: MIT
// A plan chooses the cases that a run measures on one device, and hands them out one at a time. The
// plan of a preset (suite/plan.h) knows all cases from the start. The plan of `fathom map`
// (map/map.h) chooses the next cases by the results so far, and pauses until it has these results.
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/choices.h"

enum plan_step {
    PLAN_CASE,  // *next is the next case
    PLAN_PAUSE, // the cases handed out so far must be measured before the next call
    PLAN_END    // there are no more cases
};

struct plan_case {
    const struct benchmark *benchmark;
    const struct bench_case *bench_case;
    const char *key;
    size_t index; // number of the case in the plan: 0, 1, …
};

struct plan {
    enum plan_step (*next)(struct plan *plan, const struct run *so_far, struct plan_case *next);
    size_t total; // number of all cases; if it grows with the results: of those known so far
    bool grows;
    // The number of cases of this benchmark that the plan will still hand out, as far as it knows.
    size_t (*left)(const struct plan *plan, const struct benchmark *benchmark);
    // Hands out the case with this key before its turn; `next` then leaves it out. False if the
    // plan has no such case left. NULL: the plan does not support this.
    bool (*take)(struct plan *plan, const char *key, struct plan_case *taken);
    // Adds to the run what the plan concludes from the results of its cases. Called once, after the
    // last case. Optional.
    void (*conclude)(const struct plan *plan, struct run *run);
    // Core clocks that the plan's cases need. The run locks the device's clock to them, and does
    // not start if it is not allowed to. Count 0: no clock is locked.
    const double *clocks_hz;
    size_t clock_count;
};

#endif
