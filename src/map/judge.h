// SPDX-License-Identifier: MIT
// What the probes of a level show besides its size and line: the ways of its sets, the cores that
// share it, and the clock that it runs by. The functions depend only on their arguments.
#ifndef MAP_JUDGE_H
#define MAP_JUDGE_H

#include "analysis/levels.h"
#include "math/staircase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A level of a latency curve. Latencies may have any unit.
struct map_level {
    double before; // latency of the level before this one; 0: this is the first
    double within; // latency of this level
    double beyond; // latency of the next level or of memory
    // Chains on several cores that miss this level may together overflow the next one, too. It ends
    // at `next_end` (infinity: no cache follows), and loads then take up to `slowest`.
    double next_end, slowest;
    double end;        // size in bytes at which the level ends
    double before_end; // size at which the level before this one ends; 0: this is the first
    // Bounds of `end`. `shapes` and `shape` describe the form of the rise at `end`; without
    // `shapes`, the rise is sharp.
    double end_low, end_high;
    const struct step_shapes *shapes;
    unsigned shape;
    // The curve of one core, if translation adds nothing near the level's end; else NULL.
    const struct level_curve *alone;
};

// Returns the latency of a curve at a region of `bytes`; between its points it is interpolated.
double map_curve_ns(const struct level_curve *curve, double bytes);

// Returns level k of a curve, counted from 0; k must not be the last level.
struct map_level map_level_of(const struct level_curve *curve, size_t k);

// ---------------------------------------------------------------- ways

// The probes are chains of n nodes whose stride is a power of two that is at least as large as the
// cache. If address bits choose the set, all nodes are in one set, and they fit if the set has at
// least n ways. map_ways_plan holds the values of n.
extern const unsigned map_ways_plan[]; // ascending
extern const size_t map_ways_count;

// Returns the stride of these chains: the least power of two that is not below the end of the
// level. An end up to 3 % above a power of two counts as that power, because the end has an
// interval.
uint64_t map_ways_stride(double end);

// Levels that need a larger stride are not probed.
#define MAP_WAYS_STRIDE_MOST (UINT64_C(4) << 20)

// Added to the stride of the control chain. If its 33 nodes fit, the TLB reaches all of them and
// they lie in different sets; only then the other probes show ways.
#define MAP_WAYS_BESIDE UINT64_C(416)

// Returns the number of ways; 0 with the reason in *why if the probes do not show it. `latency` has
// the order of map_ways_plan, with NaN for a probe that was not measured.
unsigned map_ways_judge(const struct map_level *level, const double *latency, const char **why);

// ---------------------------------------------------------------- cores that share a level

enum {
    MAP_SHARERS_MAX = 24 // most probes of a level
};

// Chains that run at the same time, each on a core of its own, evenly spread over the cores.
struct map_sharers_probe {
    double region;   // bytes that each chain covers
    unsigned chains; // 2 … number of cores
};

// Plans probes of ¾ of the level per chain: each chain fits, and two that share the level do not.
// With more chains than there are caches of this level, some have to share one. Where so many
// chains would cover too much together, smaller regions on all cores are added. Returns the number
// of probes.
size_t map_sharers_plan(const struct map_level *level, unsigned cores,
                        struct map_sharers_probe probes[MAP_SHARERS_MAX]);

struct map_sharers {
    unsigned sharers;   // 0: unknown; `why` has the reason
    unsigned low, high; // the number lies between these
    const char *why;
};

// Plans more probes if the first ones left several possible numbers between found->low and
// found->high. Returns the number of probes.
size_t map_sharers_plan_again(const struct map_level *level, const struct map_sharers *found,
                              unsigned cores, struct map_sharers_probe probes[MAP_SHARERS_MAX]);

// Returns how many of the probe's chains share a level with a chain, itself included, if each
// `sharers` neighbouring cores share one: the largest such number among the `part` of the chains
// that share it with the fewest.
unsigned map_sharers_together(const struct map_sharers_probe *probe, unsigned cores,
                              unsigned sharers, double part);

// Finds how many cores share the level: the number with which the level's shape explains the probes
// best. A probe that is nearer (by ratio) to `before` than to `within` shows nothing, because the
// level before holds its region. The number is given only if it is the only one within the bounds,
// or the only one within them that divides the number of cores.
struct map_sharers map_sharers_judge(const struct map_level *level,
                                     const struct map_sharers_probe *probes, const double *latency,
                                     size_t count, unsigned cores);

// ---------------------------------------------------------------- clocks

struct map_clocks {
    double fixed_ns, fixed_half; // a of latency = a + b / core clock, and half of its 95 % interval
    double cycles, cycles_half;  // b, and half of its 95 % interval
    const char *domain;          // the clock that the level runs by, as part of a sentence
};

#define MAP_CLOCKS_APART 1.05 // least ratio of the highest to the lowest clock

// Fits a and b to latencies (ns) that were measured at core clocks (Hz). Returns false with the
// reason in *why if the clocks differ by less than 5 %, or too little to tell a from b.
bool map_clocks_judge(const double *ns, const double *hz, size_t count, struct map_clocks *clocks,
                      const char **why);

#endif
