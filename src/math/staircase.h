// SPDX-License-Identifier: MIT
// The steps of a latency curve, as caches and TLBs make them. Model: latency = base + Σ rise ×
// share (region / end), where share is the part of a chain's loads that miss, by one of the shapes
// of math/step_shapes.h.
//
// Fit: weighted least squares with Huber's loss. Steps are added while the Bayesian information
// criterion falls, then each one's shape and end are improved in turn, and steps that are not
// needed are removed. An end's interval is a profile likelihood interval over all shapes.
#ifndef MATH_STAIRCASE_H
#define MATH_STAIRCASE_H

#include "math/plateaus.h"
#include "math/step_shapes.h"

#include <stdbool.h>

enum {
    STAIRCASE_STEPS_MAX = 7
};

// The interval of an end is at least so many octaves wide on both sides: no cache has exactly the
// shape of the fit.
#define STAIRCASE_MARGIN 0.035

struct staircase_step {
    double end, end_low, end_high; // x with its 95 % interval
    double rise;                   // > 0
    unsigned shape;                // of step_shapes_share
};

struct staircase {
    double base;
    struct staircase_step steps[STAIRCASE_STEPS_MAX]; // ascending
    size_t count;
    size_t points; // number of points that were fitted
    double noise;  // relative standard deviation that the fit assumed for a point
    double misfit; // root mean square of the deviations from the fit, over `noise`
};

// Fits the points x, y of `curve`. The search also begins at the ends of `plateaus`, its fit by
// math/plateaus.h, unless that is NULL: no level that the plain fit finds is missed. False if there
// are fewer than 8 points.
bool staircase_fit(struct arena *arena, const struct step_shapes *shapes,
                   const struct plateaus_desc *curve, const struct plateaus *plateaus,
                   struct staircase *fit);

// Fits the end of one step whose heights are known: y is `low` before it and `high` behind it.
// step->rise is not set. False if there are fewer than 5 points or no end fits them.
struct staircase_points {
    const double *x, *y;
    size_t count;
    double noise; // relative
};
bool staircase_fit_step(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, struct staircase_step *step);

// The fitted y at x.
double staircase_at(const struct step_shapes *shapes, const struct staircase *fit, double x);

#endif
