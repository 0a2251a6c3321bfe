// SPDX-License-Identifier: MIT
// Handles a core clock that changes while a curve is measured. If it goes up and down, latencies
// are computed from core cycles. If it has two states, the curve keeps only the points at the usual
// clock. Latencies at the other clock are converted, by the heights that the levels have at both
// clocks.
#ifndef MAP_CLOCK_STATES_H
#define MAP_CLOCK_STATES_H

#include "analysis/levels.h"
#include "math/staircase.h"

struct clock_states {
    double cycle_ns; // > 0: latencies are core cycles times this many ns
    // In GHz. If usual_ghz > 0, the curve has only points at that clock, and results at neither of
    // the two clocks do not count.
    double usual_ghz, other_ghz;
    double other_heights[STAIRCASE_STEPS_MAX + 1]; // heights at the other clock, in ns
};

// If the intervals of cycles are less than half as wide as those of times, the core clock was not
// constant: replaces the curve's latencies by those computed from cycles and returns true. Else
// returns false.
bool clock_states_choose_cycles(struct arena *arena, struct level_curve *curve,
                                struct clock_states *states);

// If 30 % to 90 % of the points ran at one core clock, moves all other points to `others`.
void clock_states_keep_usual(struct arena *arena, struct level_curve *curve,
                             struct clock_states *states, struct level_curve *others);

// Finds the height of each level of `all` at the clock at which most of `others` ran. Sets
// states->other_ghz only if every level has points at that clock and the heights rise.
void clock_states_find_heights(struct arena *arena, const struct step_shapes *shapes,
                               const struct staircase *all, const struct level_curve *others,
                               struct clock_states *states);

// Returns the latency of a result in ns, converted to the usual clock; NaN if it ran at neither
// clock.
double clock_states_ns(const struct clock_states *states, const struct staircase *all,
                       const struct result *result);

#endif
