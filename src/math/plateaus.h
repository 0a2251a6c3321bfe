// SPDX-License-Identifier: MIT Finds the levels of a staircase: how many plateaus a noisy curve
// has, how high they are, and where each ends. Plateaus must be flat, so a curve that only rises
// has no plateaus.
//
// Model: y is constant on plateau k up to its end x_k. Then it rises in a straight line of bounded
// width to the next, higher plateau.
//
// Fit: least squares over all segmentations by dynamic programming (Bellman; penalised form:
// Killick, Fearnhead, Eckley, JASA 107, 2012). The number of levels minimises the Bayesian
// information criterion, with three parameters per level (height, end, width) and a further penalty
// of 6 per level. Then each end is fitted as a hinge, whose lower arm has the height of the
// plateau's last points.
//
// The interval of the end is a profile likelihood interval: all ends whose cost is within χ²₁(0.95)
// = 3.84 of the least cost. A bad fit widens the interval by the Birge ratio. A plateau that rises
// slowly (creeps) widens it by a larger noise. The interval reaches at least to the points on both
// sides of the end.
#ifndef MATH_PLATEAUS_H
#define MATH_PLATEAUS_H

#include "base/arena.h"

#include <stdbool.h>

enum {
    PLATEAUS_MAX = 8
};

struct plateaus_desc {
    // The points of the curve, by ascending x, with y > 0. The noise of y is relative, so heights
    // are compared as ratios.
    const double *x, *y;
    size_t count;
    double ratio_min; // minimum ratio of the heights of two neighbouring levels
    // Maximum width in x of the rise between two plateaus, usually 0.75. Plateaus without a point
    // between them may be farther apart.
    double ramp_max;
    // Minimum length of a plateau in x, usually 0.25. The first and the last plateau need only half
    // of this length.
    double length_min;
    double noise_min; // the fit assumes at least this relative noise of y, usually 0.002
};

struct plateau {
    double height;          // median y of the plateau's points
    double x_first, x_last; // x of the plateau's first and last point
    size_t first, last;     // indices of the plateau's first and last point
};

struct plateaus_step {
    double end, end_low, end_high; // x at which the lower plateau ends, and its 95 % interval
    double width;                  // width in x of the rise to the higher plateau
};

struct plateaus {
    struct plateau levels[PLATEAUS_MAX];
    struct plateaus_step steps[PLATEAUS_MAX]; // steps[k] lies between levels[k] and levels[k + 1]
    size_t count;
    // Number of flat levels at the beginning of the curve. The steps between these levels are
    // valid, even if `decided` is false.
    size_t flat;
    // Relative standard deviation of the points on plateaus from their heights, at least noise_min.
    // Outliers hardly change it. 0 if nothing was fitted.
    double noise;
    // False if the curve as a whole is not a staircase: it is too noisy, has too few points, or
    // rises without flat parts. `reason` then says why, and levels from index `flat` on must not be
    // shown.
    bool decided;
    const char *reason;
};

// Returns the relative noise of a point of a curve. It is computed from second differences of ln y,
// which are 0 where ln y is a straight line. For independent noise and equally distant points, a
// second difference with the weights (1, −2, 1) / √6 has the variance of one point. Returns 0 for
// fewer than three points. `scratch` needs room for `count` values.
double plateaus_noise(const double *x, const double *y, size_t count, double *scratch);

// Fits plateaus to the curve `desc` and stores the result in *fit. The function takes scratch
// memory from `arena` and releases it before it returns.
void plateaus_fit(struct arena *arena, const struct plateaus_desc *desc, struct plateaus *fit);

#endif
