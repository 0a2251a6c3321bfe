// SPDX-License-Identifier: MIT
#include "math/staircase_work.h"
#include "math/stats.h"

#include <math.h>

// Assumed relative error of the rise `high` − `low` that staircase_fit_step gets.
static const double height_error = 0.1;

// staircase_widen assumes that half of the loads miss at most this many octaves above the end.
// (Coarse shapes do not have this limit.)
static const double middle_most = 0.09;

// Pages at arbitrary addresses fill the sets of a cache unevenly, so loads miss before the
// capacity. For example, if sets of four ways fill at random, a fifth of the loads miss at 0.6 of
// the capacity, 0.74 octaves below it. So the interval of a slow step reaches farther upwards.
void staircase_widen(const struct step_shapes *shapes, struct staircase_step *step)
{
    bool slow = step_shape_is_slow(step->shape);
    double middle = 0, margin = slow ? 0.45 : STAIRCASE_MARGIN;
    while (step_shapes_share(shapes, step->shape, middle) < 0.5 && middle < 0.3)
        middle += 1.0 / 64;
    middle = step_shape_is_coarse(step->shape) ? middle + 2 * margin : fmin(middle, middle_most);
    step->end_low -= margin;
    step->end_high = fmax(step->end_high + (slow ? 0.8 : margin), step->end + middle);
}

// Returns the height with which a step of this shape and end fits the points best. The fit treats
// the caller's `rise` as one more measurement, whose relative error is height_error.
static double rise_of(const struct step_shapes *shapes, const struct staircase_points *points,
                      double low, double rise, unsigned shape, double end)
{
    double error = height_error * rise, weights = 1 / (error * error), sum = rise * weights;
    for (size_t i = 0; i < points->count; i++) {
        double share = step_shapes_share(shapes, shape, points->x[i] - end);
        double sigma = root_of_squares(points->noise * points->y[i], 0.03 * rise);
        double weight = share / (sigma * sigma);
        weights += weight * share;
        sum += weight * (points->y[i] - low);
    }
    return sum / weights;
}

// Finds the shape with which a step that ends at `end` fits best. Tries all shapes that are not
// gradual (step_shapes.h). Sets *best_shape and returns its cost: the Huber loss of the points, at
// most STAIRCASE_OTHER_MOST each, plus the squared error of the rise.
static double step_cost(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, double end, unsigned *best_shape)
{
    double best = (double)INFINITY;
    for (unsigned shape = 0; shape < STEP_SHAPES; shape++) {
        if (step_shape_is_gradual(shape))
            continue;
        double rise = rise_of(shapes, points, low, high - low, shape, end);
        double wrong = (rise / (high - low) - 1) / height_error, cost = wrong * wrong;
        for (size_t i = 0; i < points->count; i++) {
            double share = step_shapes_share(shapes, shape, points->x[i] - end);
            double y = low + rise * share;
            // real caches differ more from the fitted shapes within a rise
            double error = 0.015 + 0.05 * 4 * share * (1 - share);
            double sigma = root_of_squares(points->noise * y, error * (high - low));
            double off = fabs(points->y[i] - y) / sigma;
            // The cost of a point is limited, because one point must not decide alone: if the real
            // step is sharper than all shapes, a point within the step fits none of them.
            cost += fmin(off < 3 ? off * off : 6 * off - 9, STAIRCASE_OTHER_MOST);
        }
        if (cost < best) {
            best = cost;
            *best_shape = shape;
        }
    }
    return best;
}

// A shape describes a rise if no point is too far off. A point may be off by this share of the
// rise, combined with three times the noise.
static const double off_most = 0.12;
// A point is before a rise if it exceeds the height before the rise by less than this share of the
// rise. A point is after a rise if it is below the height after the rise by less than this share.
static const double at_part = 0.1;

bool staircase_bound_step(const struct staircase_points *points, double low, double high,
                          struct staircase_step *step)
{
    size_t first = 0, last = points->count - 1;
    double part = at_part * (high - low);
    if (points->count < 5 || !(high > low))
        return false;
    while (first + 1 < points->count && points->y[first + 1] < low + part)
        first++;
    while (last > first + 1 && points->y[last - 1] > high - part)
        last--;
    step->end_low = points->x[first] - STAIRCASE_MARGIN;
    step->end_high = points->x[last] + STAIRCASE_MARGIN;
    step->end = (step->end_low + step->end_high) / 2;
    return points->y[first] < low + part && fabs(points->y[last] - high) < part;
}

// Returns true if the fitted step is near each point (off_most). If pages at arbitrary addresses
// fill some sets long before others, the latency rises in stairs, and no fitted step is near.
static bool describes(const struct step_shapes *shapes, const struct staircase_points *points,
                      double low, double high, const struct staircase_step *step)
{
    double rise = rise_of(shapes, points, low, high - low, step->shape, step->end);
    for (size_t i = 0; i < points->count; i++) {
        double share = step_shapes_share(shapes, step->shape, points->x[i] - step->end);
        double most = root_of_squares(off_most * rise, 3 * points->noise * points->y[i]);
        if (fabs(points->y[i] - low - rise * share) > most)
            return false;
    }
    return true;
}

bool staircase_fit_step(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, struct staircase_step *step)
{
    enum {
        GRID = 240
    };
    double costs[GRID + 1], best = (double)INFINITY, worst;
    unsigned shape = 0;
    if (points->count < 5 || !(high > low))
        return false;
    double from = points->x[0], to = points->x[points->count - 1];
    for (int i = 0; i <= GRID; i++) {
        double end = from + (to - from) * i / GRID;
        costs[i] = step_cost(shapes, points, low, high, end, &shape);
        if (costs[i] >= best)
            continue;
        best = costs[i];
        step->end = step->end_low = step->end_high = end;
        step->shape = shape;
    }
    worst = best + 3.84 * fmax(best / ((double)points->count - 2), 1);
    for (int i = 0; i <= GRID; i++)
        if (costs[i] <= worst) {
            step->end_low = fmin(step->end_low, from + (to - from) * i / GRID);
            step->end_high = fmax(step->end_high, from + (to - from) * i / GRID);
        }
    // If a sharp step lies between two points, its end may lie anywhere between them.
    for (size_t i = 0; i + 1 < points->count; i++)
        if (points->y[i] < low + 0.1 * (high - low) && points->y[i + 1] > low + 0.4 * (high - low))
            step->end_high = fmax(step->end_high, points->x[i + 1]);
    staircase_widen(shapes, step);
    struct staircase_step whole;
    if (!describes(shapes, points, low, high, step) &&
        staircase_bound_step(points, low, high, &whole)) {
        step->end_low = fmin(step->end_low, whole.end_low);
        step->end_high = fmax(step->end_high, whole.end_high);
    }
    return best < 4 * (double)points->count;
}
