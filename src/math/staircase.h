// SPDX-License-Identifier: MIT
// Fits the steps that caches and TLBs make in a latency curve. Model: latency = base + Σ rise ×
// share (region / end), with one term for each step. `share` is the share of a chain's loads that
// miss; math/step_shapes.h lists its possible shapes. x is in octaves: log2 of the region.
//
// Fit: weighted least squares with Huber's loss. Steps are added while each lowers the cost by more
// than a penalty: the penalty of the Bayesian information criterion, plus 6. Then the shape and the
// end of each step are improved in turn, and steps that are not needed are removed. The interval of
// an end is a profile likelihood interval over all shapes.
#ifndef MATH_STAIRCASE_H
#define MATH_STAIRCASE_H

#include "math/plateaus.h"
#include "math/step_shapes.h"

#include <stdbool.h>

enum {
    STAIRCASE_STEPS_MAX = 7,
    STAIRCASE_KINDS = 13 // number of kinds that a step can have (struct staircase_others)
};

// The 95 % interval of a step's end (the capacity of its cache) reaches at least this many octaves
// to both sides. No real cache has exactly the fitted shape.
#define STAIRCASE_MARGIN 0.04

// If two steps are fewer octaves apart than this, they may in truth be one step with an unusual
// shape.
#define STAIRCASE_NEAR 1.6

struct staircase_step {
    // x of the step's end (the capacity of a cache), and the 95 % interval of the end
    double end, end_low, end_high;
    double rise;    // rise of y at the step; ≥ 0
    unsigned shape; // number of the step's shape, for step_shapes_share
    // Kind of the step, an index of staircase_others.shift. It determines how chains with other
    // strides show the step.
    unsigned kind;
    // How certain the kind of the step is: how much the loss grows if the step must have another
    // kind. For kind 0 this is any other kind; for all other kinds it is kind 0. Infinity if no
    // such step is possible. The number is twice the logarithm of a likelihood ratio. Only
    // staircase_refine sets it.
    double lead;
};

struct staircase {
    double base;
    struct staircase_step steps[STAIRCASE_STEPS_MAX]; // the steps, sorted by ascending `end`
    size_t count;
    size_t points; // number of fitted points, of the curve and of chains with other strides
    double noise;  // relative noise of y that the fit assumed for the curve's points
    // How badly the fit describes the points: √(cost / degrees of freedom). The cost is the sum of
    // squared deviations in standard deviations; points far from the fit count less.
    double misfit;
    // How badly the fit describes the points of chains with other strides: mean of their squared
    // deviations in standard deviations, each at most 36. Only staircase_refine sets this number.
    double others_misfit;
};

// Fits steps to the points x, y of `curve`. Returns false if there are fewer than 8 points.
// `plateaus` is the fit of the same points by math/plateaus.h, or NULL. One more search begins at
// its flat plateaus, because the other searches may miss a level.
bool staircase_fit(struct arena *arena, const struct step_shapes *shapes,
                   const struct plateaus_desc *curve, const struct plateaus *plateaus,
                   struct staircase *fit);

struct staircase_points {
    const double *x, *y;
    size_t count;
    double noise; // relative noise of each point's y
};

// Fits the end of one step from the height `low` to the height `high`; does not set rise, kind and
// lead. Returns false with fewer than 5 points, if `high` is not above `low`, or if the best fit is
// bad. If the fitted shape does not describe the rise, widens the interval to include
// staircase_bound_step's.
bool staircase_fit_step(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, struct staircase_step *step);

// Sets only the end and the interval of a step of any shape. The interval reaches at least from the
// last point at height `low` to the first point at height `high`; the end is its middle. Returns
// false if there are no such points, if there are fewer than 5 points in all, or if `high` is not
// above `low`.
bool staircase_bound_step(const struct staircase_points *points, double low, double high,
                          struct staircase_step *step);

// Points of chains whose strides differ from the stride of the curve's chain. At point i, a step of
// kind k changes y as it does on the curve at x[i] + shift[k][i]. If a step has the shape `shape`
// on the curve, seen_as(kind, shape) is its shape at these points. STEP_SHAPES means that a step of
// this kind cannot have the shape. A step of kind 0 may end near a step of another kind.
struct staircase_others {
    const double *x, *y, *shift[STAIRCASE_KINDS];
    size_t count;
    double noise; // relative noise of each of these points
    unsigned (*seen_as)(unsigned kind, unsigned shape);
};

// Improves a fit of the curve with the points of chains with other strides (`others`), which show
// the kind of each step. A step keeps its kind if no other kind is better.
void staircase_refine(struct arena *arena, const struct step_shapes *shapes,
                      const struct plateaus_desc *curve, const struct staircase_others *others,
                      struct staircase *fit);

// Returns the fitted y at x.
double staircase_at(const struct step_shapes *shapes, const struct staircase *fit, double x);

#endif
