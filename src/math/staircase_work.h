// SPDX-License-Identifier: MIT
// The least squares and the search that the files of math/staircase.h share.
#ifndef MATH_STAIRCASE_WORK_H
#define MATH_STAIRCASE_WORK_H

#include "math/staircase.h"

enum {
    STAIRCASE_COLUMNS = STAIRCASE_STEPS_MAX + 1,
    STAIRCASE_OTHER_MOST = 36, // most that one point of another chain adds to the cost
    STAIRCASE_ALL_KINDS = (1 << STAIRCASE_KINDS) - 1
};

// The points: those of the curve by ascending x, then those of other chains.
struct staircase_work {
    const struct step_shapes *shapes;
    const double *x, *y;
    size_t n, curve;                            // number of points; of the curve
    const struct staircase_others *others;      // NULL: the curve alone is fitted
    double *seen[STAIRCASE_KINDS];              // x at which the others see a step of each kind
    double *weight, *column[STAIRCASE_COLUMNS]; // column[0] is all ones
    // Places in the table for the end being tried: of the curve's points, and of the others for
    // each kind.
    struct step_places places, other_places[STAIRCASE_KINDS];
    double *scratch;
    double noise;
    double base_least; // least height of the first level, a little below the lowest point
};

// The normal equations of the columns. The last column is y.
struct staircase_normal {
    double matrix[STAIRCASE_COLUMNS + 1][STAIRCASE_COLUMNS + 1];
    double squares; // of y
    size_t count;   // number of columns, without y
};

// What a fit expects of a point: its y, and the standard deviation from it.
struct staircase_expected {
    double y, sigma;
};

// The ends, shapes and kinds that a search tries for a step.
struct staircase_range {
    double from, to, by;
    bool coarse;    // true: try only some of the shapes
    bool steep;     // true: try only even and spread shapes
    unsigned kinds; // bit k: try kind k
};

// ---------------------------------------------------------------- least squares

// Allocates the arrays of `work` in `arena` and sets base_least from its points.
void staircase_prepare(struct arena *arena, struct staircase_work *work);

// Finds the heights of the fit for its ends, shapes and kinds. Returns the cost like
// staircase_solve.
double staircase_solve_fit(const struct staircase_work *work, struct staircase *fit);

// Fills all columns with the steps of the fit, and the normal equations from them.
void staircase_fill(const struct staircase_work *work, const struct staircase *fit,
                    struct staircase_normal *normal);

// Places the others' points for a step of the kind that ends at `end`. (step_shapes_place does it
// for the curve's points.)
void staircase_place_others(const struct staircase_work *work, unsigned kind, double end);

// Set the elements of column j that belong to the curve's points, or to the points of other chains,
// to the share of a step. The step ends where the points were placed last.
void staircase_fill_curve(const struct staircase_work *work, size_t j, unsigned shape);

void staircase_fill_others(const struct staircase_work *work, size_t j, unsigned shape,
                           unsigned kind);

// Adds the products of column j with all columns and y, of the points from index `from` to `to`.
void staircase_add_products(const struct staircase_work *work, size_t count, size_t j, size_t from,
                            size_t to, double *sums);

// Puts the products of column j into the normal equations.
void staircase_set_column(struct staircase_normal *normal, size_t j, const double *sums);

// Finds the factors of the columns; the factors of steps are at least 0. Returns the weighted sum
// of squared deviations; infinity if there is no solution, or if the base is below base_least.
double staircase_solve(const struct staircase_work *work, const struct staircase_normal *normal,
                       double *factor);

// Returns what the fit expects of point i, and the standard deviation of the point from it. No
// cache has exactly the shape of the fit, which matters within a rise.
struct staircase_expected staircase_expect(const struct staircase_work *work,
                                           const struct staircase *fit, size_t i);

// Sets the weights of the points; without a fit, from their noise alone. Points far from the fit
// get less weight (Huber). One point of the others adds at most STAIRCASE_OTHER_MOST to the cost:
// it must not decide alone.
void staircase_weigh(const struct staircase_work *work, const struct staircase *fit);

// ---------------------------------------------------------------- the search

// Finds the best end, in the range, and the best shape and kind of step k. The ends and shapes of
// all other steps stay. Returns the cost; infinity, with *fit unchanged, if no end is possible.
double staircase_improve(const struct staircase_work *work, struct staircase *fit, size_t k,
                         const struct staircase_range *range);

// Improves each step in turn, `sweeps` times: first by kind and up to 0.36 octaves, then by less.
// Returns the cost.
double staircase_improve_all(const struct staircase_work *work, struct staircase *fit, int sweeps,
                             bool steep);

// Adds the step that reduces the cost most. Returns false, and changes nothing, if the cost falls
// by less than the penalty, or if there are STAIRCASE_STEPS_MAX steps.
bool staircase_add_step(const struct staircase_work *work, struct staircase *fit, bool steep,
                        double *cost);

// Returns the least rise that step k must have.
double staircase_least_rise(const struct staircase_work *work, const struct staircase *fit,
                            size_t k);

// Widens the interval of an end, because no cache has exactly the shape of the fit. A slow rise
// gets a wider interval: a different shape with a different end may fit it equally well, because
// pages at any address fill sets unevenly. Loads then miss before the capacity, so that the
// interval reaches farther upwards.
void staircase_widen(const struct step_shapes *shapes, struct staircase_step *step);

#endif
