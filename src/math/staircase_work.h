// SPDX-License-Identifier: MIT
// Declares the least-squares solver and the search for steps that all files staircase*.c use.
#ifndef MATH_STAIRCASE_WORK_H
#define MATH_STAIRCASE_WORK_H

#include "math/staircase.h"

enum {
    STAIRCASE_COLUMNS = STAIRCASE_STEPS_MAX + 1,
    // Maximum that one point of a chain with another stride adds to the cost of a fit. In
    // staircase_fit_step it is the maximum for every point.
    STAIRCASE_OTHER_MOST = 36,
    STAIRCASE_ALL_KINDS = (1 << STAIRCASE_KINDS) - 1
};

// The points of a fit, and the arrays that the least squares and the search need. The curve's
// points come first, by ascending x, then the points of chains with other strides.
struct staircase_work {
    const struct step_shapes *shapes;
    const double *x, *y;
    size_t n, curve; // number of all points, and of the curve's points
    // Points of chains with other strides. NULL if only the curve is fitted.
    const struct staircase_others *others;
    // At point i of the chains with other strides, a step of kind k has the same effect as it has
    // on the curve at x = seen[k][i].
    double *seen[STAIRCASE_KINDS];
    // `weight` has the weight of each point. column[0] is all ones. column[k + 1] has, for each
    // point, the share of loads that miss because of step k.
    double *weight, *column[STAIRCASE_COLUMNS];
    // Positions of points in the table of shapes (step_shapes_place), for the end that the search
    // is trying. `places` has the curve's points. other_places[k] has the points of chains with
    // other strides, for a step of kind k.
    struct step_places places, other_places[STAIRCASE_KINDS];
    double *scratch;
    double noise;
    double base_least; // minimum height of the first level: 0.8 times the lowest y
};

// The normal equations of the weighted least squares. matrix[i][j] is the weighted product of
// columns i and j. The last column of the matrix has the products of each column with y.
struct staircase_normal {
    double matrix[STAIRCASE_COLUMNS + 1][STAIRCASE_COLUMNS + 1];
    double squares; // weighted sum of the squares of y
    size_t count;   // number of columns, without that of y
};

// The y that a fit expects of a point, and the standard deviation of the point from this y.
struct staircase_expected {
    double y, sigma;
};

// The ends (`from` to `to` in steps of `by`), shapes and kinds that a search tries for a step. Ends
// beyond 0.1 octaves before the curve's last point are not tried.
struct staircase_range {
    double from, to, by;
    bool coarse;    // true if only about a third of the shapes are tried
    bool steep;     // true if only the steep shapes are tried (step_shape_is_steep)
    unsigned kinds; // bit k is set if kind k is tried
};

// ---------------------------------------------------------------- least squares

// Allocates the arrays of `work` in `arena`. Sets work->base_least, the minimum height of the first
// level, from the lowest point.
void staircase_prepare(struct arena *arena, struct staircase_work *work);

// Finds the base (height of the first level) and the rises of a fit; the ends, shapes and kinds of
// its steps are given. Returns the cost, as staircase_solve does.
double staircase_solve_fit(const struct staircase_work *work, struct staircase *fit);

// Sets all columns from the ends, shapes and kinds of the fit's steps, and computes the normal
// equations from the columns.
void staircase_fill(const struct staircase_work *work, const struct staircase *fit,
                    struct staircase_normal *normal);

// Finds the positions of the points of chains with other strides in the table of shapes, for a step
// of this kind that ends at `end`. (For the curve's points, step_shapes_place does this.)
void staircase_place_others(const struct staircase_work *work, unsigned kind, double end);

// These functions set column j to the share of loads that miss because of one step, at the curve's
// points or at the points of chains with other strides. First, call step_shapes_place or
// staircase_place_others with the step's end.
void staircase_fill_curve(const struct staircase_work *work, size_t j, unsigned shape);

void staircase_fill_others(const struct staircase_work *work, size_t j, unsigned shape,
                           unsigned kind);

// Multiplies column j with each column and with y. Adds the weighted products of the points from
// index `from` to `to` − 1 to `sums`.
void staircase_add_products(const struct staircase_work *work, size_t count, size_t j, size_t from,
                            size_t to, double *sums);

// Puts the products of column j, from staircase_add_products, into the normal equations.
void staircase_set_column(struct staircase_normal *normal, size_t j, const double *sums);

// Solves the normal equations. factor[0] becomes the base (height of the first level), and each
// other factor becomes the rise of a step, at least 0. Returns the cost: the weighted sum of
// squared deviations. Returns infinity if there is no solution, or if the base is below base_least.
double staircase_solve(const struct staircase_work *work, const struct staircase_normal *normal,
                       double *factor);

// Returns the y that the fit expects of point i, and the point's standard deviation from this y.
// The deviation is larger within a rise, because no real cache has exactly the fitted shape.
struct staircase_expected staircase_expect(const struct staircase_work *work,
                                           const struct staircase *fit, size_t i);

// Sets the weight of each point from its standard deviation (from its noise if `fit` is NULL). A
// point of the curve far from the fit gets less weight (Huber). A point of another chain adds at
// most STAIRCASE_OTHER_MOST to the cost, so that it cannot decide alone.
void staircase_weigh(const struct staircase_work *work, const struct staircase *fit);

// ---------------------------------------------------------------- the search

// Gives step k the end (within the range), shape and kind with which the cost of the fit is lowest.
// All other steps keep their ends, shapes and kinds. Returns the cost. If no such step is possible,
// returns infinity and leaves *fit unchanged.
double staircase_improve(const struct staircase_work *work, struct staircase *fit, size_t k,
                         const struct staircase_range *range);

// Improves each step of the fit in turn, `sweeps` times. The first sweep tries all kinds and moves
// ends by up to 0.36 octaves; later sweeps keep the kinds and move ends by up to 0.06 octaves. If
// `steep` is true, tries only steep shapes (step_shape_is_steep). Returns the cost of the fit.
double staircase_improve_all(const struct staircase_work *work, struct staircase *fit, int sweeps,
                             bool steep);

// Adds the step with which a coarse search finds the lowest cost, improves all steps
// (staircase_improve_all), and updates *cost, the cost of the fit. If `steep` is true, tries only
// steep shapes. Returns false and changes nothing if the fit has STAIRCASE_STEPS_MAX steps, if no
// step is possible, or if the cost would not fall by more than the penalty of one step.
bool staircase_add_step(const struct staircase_work *work, struct staircase *fit, bool steep,
                        double *cost);

// Returns the minimum rise of step k: a step with a smaller rise is removed.
double staircase_least_rise(const struct staircase_work *work, const struct staircase *fit,
                            size_t k);

// Widens the interval of a step's end (the capacity of its cache), because no real cache has
// exactly the fitted shape. A slow step is widened more: other shapes with other ends may fit it as
// well, and its loads miss before the capacity.
void staircase_widen(const struct step_shapes *shapes, struct staircase_step *step);

#endif
