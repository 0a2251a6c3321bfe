// SPDX-License-Identifier: MIT
// Fits the steps that caches and TLBs make in a latency curve. Model: latency = base + Σ rise ×
// share (region / end). share is the share of a chain's loads that miss, by one of the shapes of
// math/step_shapes.h. x is in octaves: log2 of the region.
//
// Fit: weighted least squares with Huber's loss. Steps are added while the Bayesian information
// criterion falls. Then the shape and the end of each step are improved in turn, and steps that are
// not needed are removed. The interval of an end is a profile likelihood interval over all shapes.
#ifndef MATH_STAIRCASE_H
#define MATH_STAIRCASE_H

#include "math/plateaus.h"
#include "math/step_shapes.h"

#include <stdbool.h>

enum {
    STAIRCASE_STEPS_MAX = 7,
    STAIRCASE_KINDS = 13 // number of kinds of a step (struct staircase_others)
};

// The interval of an end reaches at least this many octaves to both sides, because no cache has
// exactly the shape of the fit.
#define STAIRCASE_MARGIN 0.05

// Two steps that are nearer to each other than this (octaves) may be one with an unusual shape.
#define STAIRCASE_NEAR 1.6

struct staircase_step {
    double end, end_low, end_high; // x of the end, and its 95 % interval
    double rise;                   // > 0
    unsigned shape;                // argument of step_shapes_share
    unsigned kind;                 // set by staircase_refine only
    // Set by staircase_refine only: how much worse the best fit is in which this step is of kind 0
    // if `kind` is not 0, else of any kind but 0. Twice the logarithm of a likelihood ratio.
    double lead;
};

struct staircase {
    double base;
    struct staircase_step steps[STAIRCASE_STEPS_MAX]; // by ascending end
    size_t count;
    size_t points; // number of points that were fitted, with those of other chains
    double noise;  // relative standard deviation that the fit assumed for a point
    double misfit; // root mean square of the deviations from the fit, over `noise`
    // Set by staircase_refine: mean square of the deviations of the other chains' points, over
    // their noise; one point adds at most 36 to the sum.
    double others_misfit;
};

// Fits the points x, y of `curve`. `plateaus` is the fit of the same points by math/plateaus.h, or
// NULL. One of the searches begins at the ends of `plateaus`, so that this fit misses no level that
// `plateaus` has. Returns false if there are fewer than 8 points.
bool staircase_fit(struct arena *arena, const struct step_shapes *shapes,
                   const struct plateaus_desc *curve, const struct plateaus *plateaus,
                   struct staircase *fit);

struct staircase_points {
    const double *x, *y;
    size_t count;
    double noise; // relative noise of a point
};

// Fits the end of one step whose heights are known: y is `low` before the step and `high` after it.
// Does not set step->rise. Returns false if there are fewer than 5 points, `high` is not above
// `low`, or no end fits the points.
bool staircase_fit_step(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, struct staircase_step *step);

// Points of chains with another stride than the curve's. Such a chain sees a step of kind k as the
// curve does at x + shift[k][i], with the shape seen_as(k, shape). STEP_SHAPES: no step of the kind
// has that shape in the curve. Steps of kind 0 may be near steps of other kinds.
struct staircase_others {
    const double *x, *y, *shift[STAIRCASE_KINDS];
    size_t count;
    double noise; // relative noise of these points
    unsigned (*seen_as)(unsigned kind, unsigned shape);
};

// Improves a fit of the curve by further points, and finds the kinds of the steps. The kinds at
// which `fit` begins are kept where no other kind is better.
void staircase_refine(struct arena *arena, const struct step_shapes *shapes,
                      const struct plateaus_desc *curve, const struct staircase_others *others,
                      struct staircase *fit);

// Returns the fitted y at x.
double staircase_at(const struct step_shapes *shapes, const struct staircase *fit, double x);

#endif
