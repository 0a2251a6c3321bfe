// SPDX-License-Identifier: MIT
// Which clock a level runs by: latency = a + b / core clock. From chains within the level by each
// clock that was asked for (--set clock=LIST), where there are such; else from the clocks that its
// cases happened to see.
#ifndef MAP_CLOCKS_H
#define MAP_CLOCKS_H

#include "bench/choices.h"
#include "map/found.h"

enum {
    MAP_CLOCKS_PROBES = 2 * PLATEAUS_MAX
};

// A clock asked for counts as reached where what was seen is no farther from it.
#define MAP_CLOCKS_NEAR 0.02

// The clocks that clock=LIST of the request's settings asks for, in Hz, in `arena`; none: count
// stays. ERROR_USAGE as map_settings_check has it.
MUST_CHECK bool map_read_clocks(struct arena *arena, const struct choice_request *request,
                                const double **hz, size_t *count, struct error *err);

struct map_clocks_probe {
    size_t level;  // 1 is the nearest to the core; one more than the levels: what is behind them
    double region; // bytes
};

// Two regions in the flat part of each level, and of what is behind them; returns how many.
size_t map_clocks_plan(const struct level_curve *curve,
                       struct map_clocks_probe probes[MAP_CLOCKS_PROBES]);

// `fixed`, `clocked` and the detail "clock domain" of level k, counted from 0; where clocks were
// asked for, the detail "clocks": which, and what was seen.
void map_add_clock(const struct map_finder *f, struct result *result,
                   const struct level_curve *curve, size_t k);

// A finding "clock-not-reached" for each clock that was asked for and not seen within
// MAP_CLOCKS_NEAR; value: what was seen instead, Hz.
void map_add_unreached_clocks(const struct map_finder *f);

#endif
