// SPDX-License-Identifier: MIT
// The levels of the memory hierarchy that a run shows: the plateaus of its latency curves
// (math/plateaus.h). tests/levels shows how often they are right for known hierarchies.
#ifndef ANALYSIS_LEVELS_H
#define ANALYSIS_LEVELS_H

#include "math/plateaus.h"
#include "results/results.h"

enum {
    LEVELS_POINTS_MIN = 8 // curves with fewer points get no levels
};

// Cases that differ only in bytes, in ascending order.
struct level_curve {
    const char *label;  // values that other curves do not share: "texel"; "" = none
    const char *metric; // name of the metric in `ns`: "latency"
    const struct result **results;
    double *octaves, *ns; // x: log2 of bytes; y: medians of the metric in ns
    size_t count;
    struct plateaus fit; // .decided is false if the levels are unknown; .reason says why
};

struct level_curves {
    struct level_curve *curves;
    size_t count;
    size_t longest; // index of the curve with most points: it shows the device's hierarchy
};

// All curves of a device, in `arena`: those of the first benchmark with a headline HEADLINE_LEVELS
// whose metric is in ns and whose parameter is in bytes.
struct level_curves levels_of(struct arena *arena, const struct run *run, const char *device);

// The curve of the device that has most cases, without label; without cases if there is none.
struct level_curve levels_longest(struct arena *arena, const struct run *run, const char *device);

// A curve without cases, with room for `most` cases, without label and fit.
struct level_curve level_curve_empty(struct arena *arena, size_t most);

// The number of levels that the curve shows for certain.
size_t levels_count(const struct level_curve *curve);

// The size in bytes at which level k (from 0) ends: one that is not the last.
double levels_end(const struct level_curve *curve, size_t k);

// The size in bytes from which on a working set is in memory: four times the last cache. Infinite
// if the curve does not go on that far: then its last level may be a cache.
double levels_memory(const struct level_curve *curve);

// The name of cache k of the `count` caches that end at these sizes, which ascend: "L1". Two caches
// of which the second ends at about twice the size of the first are the halves of one, "near L2"
// and "far L2": a core reaches its own half sooner. The L1 of a core is no half of anything.
const char *levels_cache_name(struct arena *arena, const double *ends, size_t count, size_t k);

// The name of level k of the curve: that of a cache, or "DRAM".
const char *levels_name(struct arena *arena, const struct level_curve *curve, size_t k);

// Inserts a case into the curve, which stays sorted by x, the log2 of the size in bytes.
void level_curve_insert(struct level_curve *curve, const struct result *result, double x, double y);

// Fits the plateaus of a latency curve over log2 of bytes, ascending, with the same limits for all
// curves.
void levels_fit(struct arena *arena, const double *octaves, const double *latency, size_t count,
                struct plateaus *fit);

// A metric over the points of level k (from 0): the median, its 95 % interval (NaN for fewer than
// two points), and the number of points that have the metric.
struct level_height {
    double median, ci95[2];
    size_t count;
};
struct level_height levels_height(struct arena *arena, const struct level_curve *curve, size_t k,
                                  const char *metric);

// The size of level number `level` (from 1) that a benchmark such as `map` found; NULL if none did.
const struct metric *levels_mapped(const struct run *run, const char *device, size_t level);

// The median of level k in cycles of the core clock; NaN if the run does not have it.
double levels_cycles(struct arena *arena, const struct run *run, const struct level_curve *curve,
                     size_t k);

// Adds findings for the device, unless it already has one of these, and names its steps:
//   level           a step of the longest curve; value: the size (bytes) at which the curve stops
//                   being flat, keys: the last case below that size and the first after the rise,
//                   name: as levels_cache_name has it.
//                   The text has the size that a map found, if the run has one: if lines are
//                   shorter than the chain's stride, a level is smaller than the chain shows
//   levels-unknown  why the longest curve shows no levels, or no levels beyond those found
//   path-levels     the staircase of another curve; value: its number of steps, key: its first case
void levels_add_findings(struct run *run, const char *device);

#endif
