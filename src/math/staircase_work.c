// SPDX-License-Identifier: MIT
#include "math/staircase_work.h"

#include <math.h>
#include <string.h>

// Assumed standard deviation of a point from a fitted shape where half of the loads miss, as a
// share of the step's rise. shape_error is for points of the curve, shape_error_other for points of
// chains with other strides. (No real cache has exactly the fitted shape.)
static const double shape_error = 0.04, shape_error_other = 0.1;

static struct step_places places_of(struct arena *arena, size_t count)
{
    return (struct step_places){.index = ARENA_ARRAY(arena, count + 1, int),
                                .part = ARENA_ARRAY(arena, count + 1, double),
                                .beyond = ARENA_ARRAY(arena, count + 1, double)};
}

void staircase_prepare(struct arena *arena, struct staircase_work *work)
{
    size_t count = work->n;
    work->weight = ARENA_ARRAY(arena, count, double);
    work->scratch = ARENA_ARRAY(arena, count, double);
    work->places = places_of(arena, work->curve);
    for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++)
        work->other_places[kind] = places_of(arena, count - work->curve);
    for (size_t j = 0; j < STAIRCASE_COLUMNS; j++)
        work->column[j] = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++)
        work->column[0][i] = 1;
    work->base_least = work->y[0];
    for (size_t i = 1; i < count; i++)
        work->base_least = fmin(work->base_least, work->y[i]);
    work->base_least *= 0.8;
}

static double dot(const struct staircase_work *work, const double *a, const double *b, size_t from,
                  size_t to)
{
    double sums[4] = {0}; // four independent sums, which the processor computes in parallel
    size_t i = from;
    for (; i + 4 <= to; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sums[lane] += work->weight[i + lane] * a[i + lane] * b[i + lane];
    for (; i < to; i++)
        sums[0] += work->weight[i] * a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void staircase_add_products(const struct staircase_work *work, size_t count, size_t j, size_t from,
                            size_t to, double *sums)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += dot(work, work->column[i], work->column[j], from, to);
    sums[count] += dot(work, work->y, work->column[j], from, to);
}

void staircase_set_column(struct staircase_normal *normal, size_t j, const double *sums)
{
    for (size_t i = 0; i < normal->count; i++)
        normal->matrix[i][j] = normal->matrix[j][i] = sums[i];
    normal->matrix[j][normal->count] = sums[normal->count];
}

// Solves the normal equations for the factors of the columns in `used`; the others become 0.
// Returns false, and all factors are 0, if a pivot is not above 0.
static bool solve_used(const struct staircase_normal *normal, const bool *used, double *factor)
{
    double a[STAIRCASE_COLUMNS][STAIRCASE_COLUMNS + 1];
    size_t index[STAIRCASE_COLUMNS], n = 0;
    memset(factor, 0, normal->count * sizeof *factor);
    for (size_t i = 0; i < normal->count; i++)
        if (used[i])
            index[n++] = i;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            a[i][j] = normal->matrix[index[i]][index[j]] * (i == j ? 1 + 1e-9 : 1);
        a[i][n] = normal->matrix[index[i]][normal->count];
    }
    for (size_t i = 0; i < n; i++) {
        if (!(a[i][i] > 0))
            return false;
        for (size_t row = i + 1; row < n; row++) {
            double times = a[row][i] / a[i][i];
            for (size_t j = i; j <= n; j++)
                a[row][j] -= times * a[i][j];
        }
    }
    for (size_t i = n; i-- > 0;) {
        double sum = a[i][n];
        for (size_t j = i + 1; j < n; j++)
            sum -= a[i][j] * factor[index[j]];
        factor[index[i]] = sum / a[i][i];
    }
    return true;
}

double staircase_solve(const struct staircase_work *work, const struct staircase_normal *normal,
                       double *factor)
{
    bool used[STAIRCASE_COLUMNS];
    memset(used, 1, sizeof used);
    for (bool again = true; again;) {
        again = false;
        if (!solve_used(normal, used, factor))
            return (double)INFINITY;
        for (size_t i = 1; i < normal->count; i++)
            if (factor[i] < 0) {
                used[i] = false;
                again = true;
            }
    }
    if (factor[0] < work->base_least)
        return (double)INFINITY;
    double cost = normal->squares;
    for (size_t i = 0; i < normal->count; i++)
        cost -= factor[i] * normal->matrix[i][normal->count];
    return fmax(cost, 0);
}

void staircase_place_others(const struct staircase_work *work, unsigned kind, double end)
{
    step_shapes_place(work->seen[kind], work->n - work->curve, end, &work->other_places[kind]);
}

void staircase_fill_curve(const struct staircase_work *work, size_t j, unsigned shape)
{
    step_shapes_fill(work->shapes, shape, &work->places, work->curve, work->column[j]);
}

void staircase_fill_others(const struct staircase_work *work, size_t j, unsigned shape,
                           unsigned kind)
{
    if (work->others)
        step_shapes_fill(work->shapes, work->others->seen_as(kind, shape),
                         &work->other_places[kind], work->n - work->curve,
                         work->column[j] + work->curve);
}

void staircase_fill(const struct staircase_work *work, const struct staircase *fit,
                    struct staircase_normal *normal)
{
    normal->count = fit->count + 1;
    normal->squares = dot(work, work->y, work->y, 0, work->n);
    for (size_t k = 0; k < fit->count; k++) {
        const struct staircase_step *step = &fit->steps[k];
        step_shapes_place(work->x, work->curve, step->end, &work->places);
        staircase_place_others(work, step->kind, step->end);
        staircase_fill_curve(work, k + 1, step->shape);
        staircase_fill_others(work, k + 1, step->shape, step->kind);
    }
    for (size_t j = 0; j < normal->count; j++) {
        double sums[STAIRCASE_COLUMNS + 1] = {0};
        staircase_add_products(work, normal->count, j, 0, work->n, sums);
        staircase_set_column(normal, j, sums);
    }
}

double staircase_solve_fit(const struct staircase_work *work, struct staircase *fit)
{
    struct staircase_normal normal;
    double factor[STAIRCASE_COLUMNS];
    staircase_fill(work, fit, &normal);
    double cost = staircase_solve(work, &normal, factor);
    fit->base = factor[0];
    for (size_t k = 0; k < fit->count; k++)
        fit->steps[k].rise = factor[k + 1];
    return cost;
}

struct staircase_expected staircase_expect(const struct staircase_work *work,
                                           const struct staircase *fit, size_t i)
{
    bool other = i >= work->curve;
    double part = other ? work->others->noise : work->noise;
    double y = fit->base, variance = part * part * work->y[i] * work->y[i];
    for (size_t k = 0; k < fit->count; k++) {
        const struct staircase_step *step = &fit->steps[k];
        unsigned shape = other ? work->others->seen_as(step->kind, step->shape) : step->shape;
        double x = other ? work->seen[step->kind][i - work->curve] : work->x[i];
        double share = step_shapes_share(work->shapes, shape, x - step->end);
        double error = (other ? shape_error_other : shape_error) * 4 * share * (1 - share);
        y += step->rise * share;
        variance += error * error * step->rise * step->rise;
    }
    return (struct staircase_expected){y, sqrt(variance)};
}

void staircase_weigh(const struct staircase_work *work, const struct staircase *fit)
{
    const struct staircase none = {.base = 1};
    for (size_t i = 0; i < work->n; i++) {
        const struct staircase_expected expected = staircase_expect(work, fit ? fit : &none, i);
        double off = fit ? fabs(work->y[i] - expected.y) / expected.sigma : 0;
        double weight =
            i >= work->curve ? fmin(STAIRCASE_OTHER_MOST / (off * off), 1) : fmin(3 / off, 1);
        work->weight[i] = (off > 0 ? weight : 1) / (expected.sigma * expected.sigma);
    }
}
