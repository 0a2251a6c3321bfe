// SPDX-License-Identifier: MIT
// Corrects latencies for a core clock that changed while a curve was measured. If the clock changed
// often, latencies are computed from core cycles. If the clock had two states, the curve keeps only
// the points at the usual clock. Other results are then converted to the usual clock, by the
// latencies of the levels at both clocks.
#ifndef MAP_CLOCK_STATES_H
#define MAP_CLOCK_STATES_H

#include "analysis/levels.h"
#include "math/staircase.h"

struct clock_states {
    // Above 0 if latencies are computed from core cycles. A cycle then counts as this many ns.
    double cycle_ns;
    // The two core clocks in GHz, if the clock had two states. If usual_ghz > 0, the curve has only
    // points that ran at usual_ghz. Results that ran at neither clock are then ignored.
    double usual_ghz, other_ghz;
    double other_heights[STAIRCASE_STEPS_MAX + 1]; // latencies in ns of the levels at other_ghz
};

// Computes the curve's latencies from core cycles if the core clock changed too often for latencies
// in ns. This is so if the 95 % intervals in cycles are less than half as wide as those in ns
// (medians over the curve). Then sets states->cycle_ns and returns true. Otherwise returns false.
bool clock_states_choose_cycles(struct arena *arena, struct level_curve *curve,
                                struct clock_states *states);

// If 30 % to 90 % of the curve's points ran at one core clock, keeps these points in the curve and
// moves all other points to `others`.
void clock_states_keep_usual(struct arena *arena, struct level_curve *curve,
                             struct clock_states *states, struct level_curve *others);

// Finds the latency of each level of the fit `all` at the second core clock: the clock at which
// most points of `others` ran. Sets states->other_ghz to this clock only if each level has points
// at this clock, and if the latencies rise from level to level.
void clock_states_find_heights(struct arena *arena, const struct step_shapes *shapes,
                               const struct staircase *all, const struct level_curve *others,
                               struct clock_states *states);

// Returns the latency of a result in ns, as it would be at the usual core clock; NaN if the result
// ran at neither of the two clocks. If states->cycle_ns > 0, returns the cycles times cycle_ns.
double clock_states_ns(const struct clock_states *states, const struct staircase *all,
                       const struct result *result);

#endif
