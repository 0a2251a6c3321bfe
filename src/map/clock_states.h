// SPDX-License-Identifier: MIT
// The core clock may change while a curve is measured. If it goes up and down, latencies are taken
// in core cycles. If it has two states, the curve has the points at the usual one, and what ran at
// the other is converted by the heights that the levels have there.
#ifndef MAP_CLOCK_STATES_H
#define MAP_CLOCK_STATES_H

#include "analysis/levels.h"
#include "math/staircase.h"

struct clock_states {
    double cycle_ns; // > 0: latencies are core cycles times this many ns
    // GHz; > 0: the curve has only points at the usual clock. What ran at neither does not count.
    double usual_ghz, other_ghz;
    double other_heights[STAIRCASE_STEPS_MAX + 1]; // of the levels at the other clock, ns
};

// Takes cycles for ns if they are known better: then the core clock was not always the same. False
// if they are not.
bool clock_states_choose_cycles(struct arena *arena, struct level_curve *curve,
                                struct clock_states *states);

// Leaves points out that ran at another core clock than most; they are added to `others`.
void clock_states_keep_usual(struct arena *arena, struct level_curve *curve,
                             struct clock_states *states, struct level_curve *others);

// The heights between the steps of `all` at the clock at which most of `others` ran, if all levels
// have some.
void clock_states_find_heights(struct arena *arena, const struct step_shapes *shapes,
                               const struct staircase *all, const struct level_curve *others,
                               struct clock_states *states);

// The latency of a result at the usual clock; NaN if it ran at neither.
double clock_states_ns(const struct clock_states *states, const struct staircase *all,
                       const struct result *result);

#endif
