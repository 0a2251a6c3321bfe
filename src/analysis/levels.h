// SPDX-License-Identifier: MIT
// The levels of the memory hierarchy that a run shows: the plateaus of its latency curves
// (math/plateaus.h). How often they are right where the truth is known: tests/levels.
#ifndef ANALYSIS_LEVELS_H
#define ANALYSIS_LEVELS_H

#include "math/plateaus.h"
#include "results/results.h"

enum {
    LEVELS_POINTS_MIN = 8 // fewer show no staircase
};

// Cases that differ in bytes only, ascending.
struct level_curve {
    const char *label;  // by what it differs from the other curves: "texel"; "" = nothing
    const char *metric; // that was read: "latency"
    const struct result **results;
    double *octaves, *ns; // log2 of bytes; what was read
    size_t count;
    struct plateaus fit; // .decided is false if the levels are unknown; .reason says why
};

struct level_curves {
    struct level_curve *curves;
    size_t count, capacity;
    size_t longest; // index of the one with most points: the hierarchy of the device
};

// All curves of a device, of the first benchmark with a headline of HEADLINE_LEVELS that is a time
// by a working set. They live in `arena`.
struct level_curves levels_of(struct arena *arena, const struct run *run, const char *device);

// A curve without cases, with room for `most` of them; it has no label and no fit.
struct level_curve level_curve_empty(struct arena *arena, size_t most);

// Adds a case where it belongs in the order of x, which is log2 of its size.
void level_curve_insert(struct level_curve *curve, const struct result *result, double x, double y);

// Fits the plateaus of a latency curve over log2 of bytes, ascending, by the limits that hold for
// all curves.
void levels_fit(struct arena *arena, const double *octaves, const double *latency, size_t count,
                struct plateaus *fit);

// A metric over the points of level k: median, its interval (NaN below two points), how many.
struct level_height {
    double median, ci95[2];
    size_t count;
};
struct level_height levels_height(struct arena *arena, const struct level_curve *curve, size_t k,
                                  const char *metric);

// Adds findings for the device, if it has none of them:
//   level           a step of the longest curve; value: the size (bytes) at which the curve stops
//                   being flat, keys: the last case below that size and the first after the rise.
//                   The text has the size that a map found, if the run has one: if lines are
//                   shorter than the chain's stride, a level is smaller than the chain shows
//   levels-unknown  why the longest curve shows none, or none beyond those
//   path-levels     the staircase of another curve; value: its steps, key: its first case
void levels_add_findings(struct run *run, const char *device);

#endif
