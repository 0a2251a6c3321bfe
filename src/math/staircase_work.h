// SPDX-License-Identifier: MIT
// The least squares and the search that the files of math/staircase.h share.
#ifndef MATH_STAIRCASE_WORK_H
#define MATH_STAIRCASE_WORK_H

#include "math/staircase.h"

enum {
    STAIRCASE_COLUMNS = STAIRCASE_STEPS_MAX + 1,
    STAIRCASE_OTHER_MOST = 36, // upper bound of what one point of another chain adds to the cost
    STAIRCASE_ALL_KINDS = (1 << STAIRCASE_KINDS) - 1
};

// The points of a fit (those of the curve by ascending x, then those of other chains), and the
// arrays that the least squares and the search need.
struct staircase_work {
    const struct step_shapes *shapes;
    const double *x, *y;
    size_t n, curve; // number of all points, and of the curve's points
    // The points of other chains; NULL: the curve alone is fitted.
    const struct staircase_others *others;
    // [k][i]: x at which the curve shows a step of kind k as other point i does.
    double *seen[STAIRCASE_KINDS];
    // Weight of each point. column[0] is all ones; column[k + 1] is the share of step k at each
    // point.
    double *weight, *column[STAIRCASE_COLUMNS];
    // Where the points lie in the table of shapes for the end that is being tried: the curve's
    // points, and the other chains' points for each kind of step.
    struct step_places places, other_places[STAIRCASE_KINDS];
    double *scratch;
    double noise;
    double base_least; // minimum height of the first level, a little below the lowest point
};

// The normal equations of the weighted least squares: products of every two columns, and in the
// last column their products with y.
struct staircase_normal {
    double matrix[STAIRCASE_COLUMNS + 1][STAIRCASE_COLUMNS + 1];
    double squares; // weighted sum of the squares of y
    size_t count;   // number of columns, without that of y
};

// The y that a fit expects of a point, and the standard deviation of the point from it.
struct staircase_expected {
    double y, sigma;
};

// The ends (`from` to `to` in steps of `by`), shapes and kinds that a search tries for a step.
struct staircase_range {
    double from, to, by;
    bool coarse;    // true: try only some of the shapes
    bool steep;     // true: try only even and spread shapes
    unsigned kinds; // bit k: try kind k
};

// ---------------------------------------------------------------- least squares

// Allocates the arrays of `work` in `arena`, and sets work->base_least from the lowest point.
void staircase_prepare(struct arena *arena, struct staircase_work *work);

// Finds the base and the rises of a fit whose steps have their ends, shapes and kinds. Returns the
// cost, as staircase_solve does.
double staircase_solve_fit(const struct staircase_work *work, struct staircase *fit);

// Sets all columns from the ends, shapes and kinds of the fit's steps, and computes the normal
// equations from the columns.
void staircase_fill(const struct staircase_work *work, const struct staircase *fit,
                    struct staircase_normal *normal);

// Finds where the points of other chains lie in the table of shapes, for a step of this kind that
// ends at `end`. (step_shapes_place does it for the curve's points.)
void staircase_place_others(const struct staircase_work *work, unsigned kind, double end);

// Two functions that set column j to the share of loads that miss because of one step:
// staircase_fill_curve for the curve's points, staircase_fill_others for the points of other
// chains. The step's end is the one for which the points were placed last.
void staircase_fill_curve(const struct staircase_work *work, size_t j, unsigned shape);

void staircase_fill_others(const struct staircase_work *work, size_t j, unsigned shape,
                           unsigned kind);

// Adds to `sums` the weighted products of column j with each column and with y, over the points
// from index `from` to `to` − 1.
void staircase_add_products(const struct staircase_work *work, size_t count, size_t j, size_t from,
                            size_t to, double *sums);

// Puts the products of column j, as staircase_add_products computes them, into the normal
// equations.
void staircase_set_column(struct staircase_normal *normal, size_t j, const double *sums);

// Solves the normal equations: finds the factor of each column, which is the base or the rise of a
// step; rises are at least 0. Returns the cost, which is the weighted sum of squared deviations;
// infinity if there is no solution, or if the base is below base_least.
double staircase_solve(const struct staircase_work *work, const struct staircase_normal *normal,
                       double *factor);

// Returns the y that the fit expects of point i, and the standard deviation of the point from this
// y. The deviation is larger within a rise, because no cache has exactly the shape of the fit.
struct staircase_expected staircase_expect(const struct staircase_work *work,
                                           const struct staircase *fit, size_t i);

// Sets the weights of the points from their standard deviations; if `fit` is NULL, from their noise
// alone. Points far from the fit get less weight (Huber). One point of another chain adds at most
// STAIRCASE_OTHER_MOST to the cost, so that it cannot decide alone.
void staircase_weigh(const struct staircase_work *work, const struct staircase *fit);

// ---------------------------------------------------------------- the search

// Sets step k to the end (within the range), shape and kind with which the cost is lowest. The ends
// and shapes of all other steps stay. Returns the cost; infinity, with *fit unchanged, if no end is
// possible.
double staircase_improve(const struct staircase_work *work, struct staircase *fit, size_t k,
                         const struct staircase_range *range);

// Improves each step in turn, `sweeps` times. The first sweep tries all kinds and moves ends by up
// to 0.36 octaves; later sweeps keep the kinds and move ends by up to 0.06 octaves. Returns the
// cost.
double staircase_improve_all(const struct staircase_work *work, struct staircase *fit, int sweeps,
                             bool steep);

// Adds the step that reduces the cost most. Returns false, and changes nothing, if the cost falls
// by less than the penalty of one step, or if there are STAIRCASE_STEPS_MAX steps already.
bool staircase_add_step(const struct staircase_work *work, struct staircase *fit, bool steep,
                        double *cost);

// Returns the minimum rise that step k must have to be kept.
double staircase_least_rise(const struct staircase_work *work, const struct staircase *fit,
                            size_t k);

// Widens the interval of a step's end, because no cache has exactly the shape of the fit. A slow
// rise gets a wider interval: a different shape with a different end may fit it equally well,
// because pages at any address fill sets unevenly. Loads then miss before the capacity, so that the
// interval reaches farther upwards.
void staircase_widen(const struct step_shapes *shapes, struct staircase_step *step);

#endif
