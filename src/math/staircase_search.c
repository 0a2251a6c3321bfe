// SPDX-License-Identifier: MIT
#include "math/staircase_work.h"

#include <math.h>
#include <string.h>

// Minimum distance between the ends of two steps, in octaves (exception: is_apart).
static const double apart_min = 0.7;

// minimum rise of a step, relative to the curve's height before the step
static const double rise_min = 0.1;
// minimum rise of a step of kind 0 (a TLB in `fathom map`) if chains with other strides are used
static const double rise_min_other = 0.03;

static bool is_tried(const struct staircase_range *range, unsigned shape)
{
    return (!range->coarse || shape % 3 == 1 || !shape) &&
           (!range->steep || step_shape_is_steep(shape));
}

static double height_below(const struct staircase *fit, size_t k)
{
    double height = fit->base;
    for (size_t i = 0; i < fit->count; i++)
        if (fit->steps[i].end < fit->steps[k].end)
            height += fit->steps[i].rise;
    return height;
}

// Returns true if no other step ends near `end`. If chains with other strides are used, a step of
// kind 0 may end near a step of another kind, because these chains distinguish both.
static bool is_apart(const struct staircase_work *work, const struct staircase *fit, size_t k,
                     unsigned kind, double end)
{
    for (size_t i = 0; i < fit->count; i++)
        if (i != k && fabs(fit->steps[i].end - end) < apart_min &&
            (!work->others || !fit->steps[i].kind == !kind))
            return false;
    return true;
}

double staircase_least_rise(const struct staircase_work *work, const struct staircase *fit,
                            size_t k)
{
    bool small = work->others && !fit->steps[k].kind;
    return (small ? rise_min_other : rise_min) * height_below(fit, k);
}

struct trial {
    size_t k;
    double end;
    unsigned shape, kinds;
};

// Tries step trial->k with each kind in trial->kinds. If the cost of a fit is below *best and the
// step rises enough, stores the fit in *fit and the cost in *best.
static void try_kinds(const struct staircase_work *work, struct staircase_normal *normal,
                      const struct trial *trial, struct staircase *fit, double *best)
{
    double curve[STAIRCASE_COLUMNS + 1] = {0}, sums[STAIRCASE_COLUMNS + 1],
                                     factor[STAIRCASE_COLUMNS];
    struct staircase other = *fit;
    struct staircase_step *step = &other.steps[trial->k];
    size_t j = trial->k + 1;
    staircase_fill_curve(work, j, trial->shape);
    staircase_add_products(work, normal->count, j, 0, work->curve, curve);
    for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++) {
        if (!(trial->kinds >> kind & 1) ||
            (work->others && work->others->seen_as(kind, trial->shape) == STEP_SHAPES))
            continue;
        memcpy(sums, curve, sizeof sums);
        staircase_fill_others(work, j, trial->shape, kind);
        staircase_add_products(work, normal->count, j, work->curve, work->n, sums);
        staircase_set_column(normal, j, sums);
        double cost = staircase_solve(work, normal, factor);
        if (cost >= *best)
            continue;
        other.base = factor[0];
        for (size_t i = 0; i < fit->count; i++)
            other.steps[i].rise = factor[i + 1];
        step->end = trial->end;
        step->shape = trial->shape;
        step->kind = kind;
        if (step->rise < staircase_least_rise(work, &other, trial->k))
            continue;
        *best = cost;
        *fit = other;
    }
}

double staircase_improve(const struct staircase_work *work, struct staircase *fit, size_t k,
                         const struct staircase_range *range)
{
    struct staircase_normal normal;
    double best = (double)INFINITY;
    staircase_fill(work, fit, &normal);
    double next = range->from;
    while (next <= fmin(range->to, work->x[work->curve - 1] - 0.1)) {
        double end = next;
        next += range->by;
        struct trial trial = {k, end, 0, 0};
        for (unsigned kind = 0; kind < (work->others ? STAIRCASE_KINDS : 1u); kind++)
            if (range->kinds >> kind & 1 && is_apart(work, fit, k, kind, end)) {
                staircase_place_others(work, kind, end);
                trial.kinds |= 1u << kind;
            }
        step_shapes_place(work->x, work->curve, end, &work->places);
        for (; trial.kinds && trial.shape < STEP_SHAPES; trial.shape++)
            if (is_tried(range, trial.shape))
                try_kinds(work, &normal, &trial, fit, &best);
    }
    return best;
}

double staircase_improve_all(const struct staircase_work *work, struct staircase *fit, int sweeps,
                             bool steep)
{
    double cost = staircase_solve_fit(work, fit);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (size_t k = 0; k < fit->count; k++) {
            struct staircase trial = *fit;
            double end = fit->steps[k].end, reach = sweep ? 0.06 : 0.36, by = sweep ? 0.02 : 0.12;
            unsigned kinds = sweep ? 1u << fit->steps[k].kind : STAIRCASE_ALL_KINDS;
            const struct staircase_range range = {
                end - reach, end + reach + 0.001, by, false, steep, kinds};
            double found = staircase_improve(work, &trial, k, &range);
            if (found < cost) {
                cost = found;
                *fit = trial;
            }
        }
    return cost;
}

bool staircase_add_step(const struct staircase_work *work, struct staircase *fit, bool steep,
                        double *cost)
{
    struct staircase trial = *fit;
    double penalty = 3 * log((double)work->n) + 6;
    const struct staircase_range range = {
        work->x[0], work->x[work->curve - 1] + 0.01, 0.25, true, steep, STAIRCASE_ALL_KINDS};
    if (trial.count == STAIRCASE_STEPS_MAX)
        return false;
    trial.steps[trial.count++] = (struct staircase_step){.end = -1e9};
    double found = staircase_improve(work, &trial, trial.count - 1, &range);
    if (!isfinite(found))
        return false;
    found = staircase_improve_all(work, &trial, 2, steep);
    if (!(found < *cost - penalty))
        return false;
    *fit = trial;
    *cost = found;
    return true;
}
