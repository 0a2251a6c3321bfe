// SPDX-License-Identifier: MIT
// What the probes of a level show besides its size and line: the ways of its sets, the cores that
// share it, and the clock that it runs by. All functions depend on their arguments only.
#ifndef MAP_JUDGE_H
#define MAP_JUDGE_H

#include "analysis/levels.h"
#include "math/staircase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A level of a latency curve. Latencies in any unit.
struct map_level {
    double before; // latency of the level before it; 0: it is the first
    double within; // its own latency
    double beyond; // latency of the next level or of memory
    double end;    // bytes
    // How the rise at the end looks, and between which bounds it lies; without `shapes` it is
    // sharp.
    double end_low, end_high;
    const struct step_shapes *shapes;
    unsigned shape;
    // The curve of one core, if translation adds nothing to it near the end; else NULL.
    const struct level_curve *alone;
};

// The latency of a curve at a region of so many bytes, between its points.
double map_curve_ns(const struct level_curve *curve, double bytes);

// Level k of a curve, counted from 0; k must not be the last level.
struct map_level map_level_of(const struct level_curve *curve, size_t k);

// ---------------------------------------------------------------- ways

// A chain through n nodes whose stride is a power of two, at least as long as the cache: if address
// bits choose the set, all nodes are in one set, and they fit as long as n is at most its ways. The
// numbers n of the probes:
extern const unsigned map_ways_plan[]; // ascending
extern const size_t map_ways_count;

// The stride of these chains: the least power of two that is not below the end of the level (3 %
// below counts as equal: the end has an interval).
uint64_t map_ways_stride(double end);

// Levels that need a larger stride are not probed.
#define MAP_WAYS_STRIDE_MOST (UINT64_C(4) << 20)

// If 33 nodes that are this much farther apart fit, the TLB reaches all of them and they lie in
// different sets; no other probes show ways.
#define MAP_WAYS_BESIDE UINT64_C(416)

// The number of ways. `latency` is in the order of map_ways_plan, NaN for a probe that was not
// measured. 0 with the reason in *why if the probes do not show it.
unsigned map_ways_judge(const struct map_level *level, const double *latency, const char **why);

// ---------------------------------------------------------------- cores that share a level

enum {
    MAP_SHARERS_MAX = 16 // largest number of probes of a level
};

struct map_sharers_probe {
    double region; // bytes per core
};

// Plans probes that run one chain on each core at the same time, each through its own region of ¾
// of the level / n, for n = 1, 2, 4 …, half and all of the cores. Leaves out regions that are too
// small, or together larger than `most` bytes. Returns the number of probes.
size_t map_sharers_plan(const struct map_level *level, unsigned cores, double most,
                        struct map_sharers_probe probes[MAP_SHARERS_MAX]);

struct map_sharers {
    unsigned sharers;   // 0: unknown; `why` has the reason
    unsigned low, high; // bounds of the number of sharers
    const char *why;
};

// More probes, if the first ones left more than one number: regions of the level / n for n between
// the bounds.
size_t map_sharers_plan_again(const struct map_level *level, const struct map_sharers *found,
                              unsigned cores, struct map_sharers_probe probes[MAP_SHARERS_MAX]);

// Bytes that all regions of a probe together may take: enough to find out whether at least a
// quarter of the cores share the level, and 64 MiB in any case.
double map_sharers_most(const struct map_level *level);

// How many cores share the level: the number under which the level's shape explains the probes
// best. A probe nearer (by ratio) to `before` than to `within` shows nothing: the level before
// holds its region. A number is given only if it is the only one within the bounds, or the only one
// that divides the cores.
struct map_sharers map_sharers_judge(const struct map_level *level,
                                     const struct map_sharers_probe *probes, const double *latency,
                                     size_t count, unsigned cores);

// ---------------------------------------------------------------- clocks

struct map_clocks {
    double fixed_ns, fixed_half; // a of latency = a + b / core clock; half of its 95 % interval
    double cycles, cycles_half;  // b, and half of its interval
    const char *domain;          // the clock that the level runs by, as part of a sentence
};

#define MAP_CLOCKS_APART 1.05 // least ratio of the highest to the lowest clock

// Fits a and b to latencies (ns) and the core clock (Hz) of each. False with the reason in *why if
// the clocks differ by less than 5 %, or by too little to separate a from b.
bool map_clocks_judge(const double *ns, const double *hz, size_t count, struct map_clocks *clocks,
                      const char **why);

#endif
