// SPDX-License-Identifier: MIT
// Judges what the probes of a level show besides its size and line: the ways of its sets, the
// number of cores that share the level, and the clock on which its latency depends. The functions
// depend only on their arguments.
#ifndef MAP_JUDGE_H
#define MAP_JUDGE_H

#include "analysis/levels.h"
#include "math/staircase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A level of a latency curve. Latencies may have any unit.
struct map_level {
    double before; // latency of the level before this one; 0 if this is the first level
    double within; // latency of this level
    double beyond; // latency of the next level or of memory
    // next_end is the smallest size in bytes at which the next level may end; infinity if the next
    // level is memory. `slowest` is the latency of loads that miss all levels.
    double next_end, slowest;
    double end;        // size in bytes at which the level ends
    double before_end; // size at which the level before this one ends; 0 if this is the first level
    // Lower and upper bound of `end`. `shapes` and `shape` say how gradually the latency rises
    // there. If `shapes` is NULL, the whole rise is at `end`.
    double end_low, end_high;
    const struct step_shapes *shapes;
    unsigned shape;
    // Latency curve of a chain on one core. NULL if address translation adds to this latency near
    // the level's end.
    const struct level_curve *alone;
};

// Returns the latency of a curve at a region of `bytes`, interpolated between its points. Outside
// of the curve it is the latency of the nearest point.
double map_curve_ns(const struct level_curve *curve, double bytes);

// ---------------------------------------------------------------- ways

// A probe for the number of ways is a chain of n nodes; map_ways_plan has the values of n. Its
// stride is a power of two, and at least about the size of the cache. If address bits choose the
// set, all nodes are in one set. The level then holds the chain if a set has at least n ways.
extern const unsigned map_ways_plan[]; // the numbers n in ascending order
extern const size_t map_ways_count;

// Returns the stride in bytes of the probes for the ways of a level that ends at `end` bytes. It is
// the smallest power of two that is not below `end`, but at least 1024. The end is known only
// within an interval, so an end up to 3 % above a power of two counts as that power.
uint64_t map_ways_stride(double end);

// Maximum stride in bytes of the probes for ways. A level that needs a larger stride is not probed.
#define MAP_WAYS_STRIDE_MOST (UINT64_C(4) << 20)

// Number of bytes to add to the stride for a control chain of 33 nodes. Its nodes lie in different
// sets, so the level should hold them. If it does not, the TLB may not reach all nodes, and the
// probes for ways show nothing.
#define MAP_WAYS_BESIDE UINT64_C(416)

// Returns the number of ways of the level. latency[i] belongs to the chain of map_ways_plan[i]
// nodes; it is NaN if that chain was not measured. If the probes do not show the number, returns 0
// and sets *why to the reason.
unsigned map_ways_judge(const struct map_level *level, const double *latency, const char **why);

// ---------------------------------------------------------------- cores that share a level

enum {
    MAP_SHARERS_MAX = 24 // maximum number of probes in one plan for the sharers of a level
};

// A probe for the number of cores that share a level. Its chains run at the same time, each on a
// core of its own, spread evenly over the cores.
struct map_sharers_probe {
    double region;   // bytes that each of the chains covers
    unsigned chains; // number of chains: from 2 to the number of cores
};

// Plans the probes that show how many cores share a level. Each chain covers ¾ of the level, so a
// cache holds one chain, but not two. If there are more chains than caches of this level, some
// chains share a cache and become slower. If chains on all cores covered too much memory together,
// the plan also has smaller chains on all cores. Returns the number of probes.
size_t map_sharers_plan(const struct map_level *level, unsigned cores,
                        struct map_sharers_probe probes[MAP_SHARERS_MAX]);

struct map_sharers {
    // Number of cores that share one cache of the level; 0 if unknown. `why` then has the reason.
    unsigned sharers;
    // Lower and upper bound of the number of sharers. If nothing is known, they are 1 and the
    // number of cores.
    unsigned low, high;
    const char *why;
};

// Plans a second series of probes for the sharers of a level, if the first series left several
// possible numbers between found->low and found->high. Returns the number of probes.
size_t map_sharers_plan_again(const struct map_level *level, const struct map_sharers *found,
                              unsigned cores, struct map_sharers_probe probes[MAP_SHARERS_MAX]);

// Returns how many chains of the probe run in the same cache (a chain itself included), if each
// group of `sharers` neighbouring cores has one cache. If the number differs between chains, all
// numbers are sorted, and the one at the fraction `part` is returned (0.5: the median).
unsigned map_sharers_together(const struct map_sharers_probe *probe, unsigned cores,
                              unsigned sharers, double part);

// Finds how many cores share the level: the number that explains the probes best and divides the
// number of cores. If the probes do not clearly exclude another number, only the bounds are given.
// A probe shows nothing if its latency is nearer (by ratio) to `before` than to `within`, because
// the level before this one then holds its regions.
struct map_sharers map_sharers_judge(const struct map_level *level,
                                     const struct map_sharers_probe *probes, const double *latency,
                                     size_t count, unsigned cores);

// ---------------------------------------------------------------- clocks

struct map_clocks {
    // The fixed part `a` in ns of the fit latency = a + b / core clock, and the half-width of its
    // 95 % interval.
    double fixed_ns, fixed_half;
    // The part `b` in core cycles of the fit latency = a + b / core clock, and the half-width of
    // its 95 % interval.
    double cycles, cycles_half;
    // Words for a sentence: which clock sets the level's latency, for example "the core's clock".
    const char *domain;
};

// map_clocks_judge needs a highest core clock that is at least this many times the lowest one.
#define MAP_CLOCKS_APART 1.05

// Fits latency = a + b / core clock to latencies (ns) measured at different core clocks (Hz).
// Returns false with the reason in *why if the clock is known for fewer than three latencies, if
// the clocks differ by less than 5 %, or if a and b cannot be separated.
bool map_clocks_judge(const double *ns, const double *hz, size_t count, struct map_clocks *clocks,
                      const char **why);

#endif
