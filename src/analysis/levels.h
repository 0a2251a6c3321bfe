// SPDX-License-Identifier: MIT
// Finds the levels of the memory hierarchy in a run: the plateaus of its latency curves
// (math/plateaus.h). The tests in tests/levels measure how often the levels are right, with memory
// hierarchies that are known.
#ifndef ANALYSIS_LEVELS_H
#define ANALYSIS_LEVELS_H

#include "math/plateaus.h"
#include "results/results.h"

enum {
    LEVELS_POINTS_MIN = 8 // curves with fewer points are not fitted
};

// A latency curve: results of one device whose axes differ only in the size of the working set.
// They are sorted by this size, in ascending order.
struct level_curve {
    // text values by which this curve differs from the others, such as "texel"; "" if there are
    // none
    const char *label;
    const char *metric; // name of the metric in `ns`: "latency"
    const struct result **results;
    // x of the points (log2 of bytes), and y of the points (medians of the metric)
    double *octaves, *ns;
    size_t count;
    bool disturbed; // true: other work disturbed at least half of the points (level_curve_fit)
    // Plateaus fitted to the curve. If fit.decided is false, only the first fit.flat levels are
    // valid, and fit.reason says why.
    struct plateaus fit;
};

struct level_curves {
    struct level_curve *curves;
    size_t count;
    // Index of the curve with the most points, from which the device's levels are taken.
    size_t longest;
};

// Returns all latency curves of a device, in `arena`. Their points are the cases of one benchmark:
// the first one with a headline of kind HEADLINE_LEVELS, a metric in ns and a parameter in bytes.
struct level_curves levels_of(struct arena *arena, const struct run *run, const char *device);

// Returns the device's curve with the most cases. Its label is not set (NULL). If the device has no
// curve, returns an empty one.
struct level_curve levels_longest(struct arena *arena, const struct run *run, const char *device);

// Returns an empty curve with room for `most` cases. It has no label and no fit.
struct level_curve level_curve_empty(struct arena *arena, size_t most);

// Returns the number of memory levels (caches and memory) that the curve shows with certainty.
size_t levels_count(const struct level_curve *curve);

// Returns the size in bytes of the largest working set that fits in level k (counted from 0). Must
// not be called for the last level, whose size the curve does not show.
double levels_end(const struct level_curve *curve, size_t k);

// Returns the size in bytes from which on a working set surely is in memory: four times the size of
// the last cache. Returns infinity if the levels are not certain or fewer than two are known. Also
// returns infinity if the curve ends before that size, because its last level may then be a cache.
double levels_memory(const struct level_curve *curve);

// Returns the name of cache k, such as "L1". `ends` holds the sizes at which the `count` caches
// end, in ascending order. If a cache ends at about twice the size of the cache before it, the two
// count as halves of one partitioned cache: "near L2" and "far L2". (A core reaches its own half
// faster.) The first cache is always L1, never a half.
const char *levels_cache_name(struct arena *arena, const double *ends, size_t count, size_t k);

// Returns the name of level k of the curve: "DRAM", or the name of a cache, such as "L1".
const char *levels_name(struct arena *arena, const struct level_curve *curve, size_t k);

// Inserts a case with the point (x, y) into the curve, which has room for it and stays sorted by x.
void level_curve_insert(struct level_curve *curve, const struct result *result, double x, double y);

// Finds the levels of a curve. First removes the points that other work disturbed
// (result_disturbed). If these are at least half of all, they stay, and the curve has no levels;
// fit.reason says so.
void level_curve_fit(struct arena *arena, struct level_curve *curve);

// Finds the levels of a latency curve by fitting plateaus to it. `octaves` holds the log2 of the
// sizes in bytes, ascending. The same bounds (struct plateaus_desc) apply to every curve.
void levels_fit(struct arena *arena, const double *octaves, const double *latency, size_t count,
                struct plateaus *fit);

// A metric at the points of level k (counted from 0): its median, the 95 % interval of the median,
// and the number of points that have the metric. If fewer than two points have it, the interval is
// NaN.
struct level_height {
    double median, ci95[2];
    size_t count;
};
struct level_height levels_height(struct arena *arena, const struct level_curve *curve, size_t k,
                                  const char *metric);

// Returns the spread of the metric on level k: the difference between its 90th and 10th percentile,
// divided by its median. NaN if no point has the metric.
double levels_spread(struct arena *arena, const struct level_curve *curve, size_t k,
                     const char *metric);

// Finds the sizes of the caches that a benchmark such as `map` measured in the run. sizes[k]
// becomes the metric with the size in bytes of cache k (counted from 0), or NULL if this size is
// unknown. `sizes` has room for `most` caches. Returns the number of caches; 0 if the run has no
// such benchmark.
size_t levels_mapped(const struct run *run, const char *device, const struct metric **sizes,
                     size_t most);

// Returns the median latency of level k in cycles of the core clock; NaN if the run has no metric
// in cycles.
double levels_cycles(struct arena *arena, const struct run *run, const struct level_curve *curve,
                     size_t k);

// Adds these findings for the device, unless the run already has one of them. Then gives each
// finding "level" its name.
//   level           A step of the longest curve. With results of the benchmark `map`, only a step
//                   that ends a cache by `map`; the text then has the size by `map`.
//                   value: the size in bytes at which the curve stops being flat.
//                   keys: the last case of the level, the first case of the next one in the text.
//                   name: the name of the cache (levels_cache_name).
//   levels-unknown  The longest curve shows no levels, or none beyond those found.
//   path-levels     The levels of another curve, if it has at least two.
//                   value: its number of steps. key: its first case.
void levels_add_findings(struct run *run, const char *device);

#endif
