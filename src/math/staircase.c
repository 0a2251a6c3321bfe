// SPDX-License-Identifier: MIT
#include "math/staircase.h"

#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = STAIRCASE_STEPS_MAX + 1
};

// Two steps must be at least this many octaves apart.
static const double apart_min = 0.7;

static const double rise_min = 0.1;     // least rise, relative to the height before the step
static const double noise_least = 0.01; // relative error of the shapes, added to the noise

double staircase_at(const struct step_shapes *shapes, const struct staircase *fit, double x)
{
    double y = fit->base;
    for (size_t k = 0; k < fit->count; k++)
        y += fit->steps[k].rise *
             step_shapes_share(shapes, fit->steps[k].shape, x - fit->steps[k].end);
    return y;
}

// ---------------------------------------------------------------- least squares

struct work {
    const struct step_shapes *shapes;
    const double *x, *y;
    size_t n;
    double *weight, *column[COLUMNS]; // column[0] is all ones
    struct step_places places;        // places of the points in the table, for the end being tried
    double *scratch;
    double noise;
    double base_least; // least height of the first level, a little below the lowest point
};

static double dot(const struct work *work, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < work->n; i++)
        sum += work->weight[i] * a[i] * b[i];
    return sum;
}

// The normal equations of the columns. The last column is y.
struct normal {
    double matrix[COLUMNS + 1][COLUMNS + 1];
    size_t count; // number of columns, without y
};

static void set_column(const struct work *work, struct normal *normal, size_t j)
{
    for (size_t i = 0; i < normal->count; i++)
        normal->matrix[i][j] = normal->matrix[j][i] = dot(work, work->column[i], work->column[j]);
    normal->matrix[j][normal->count] = dot(work, work->column[j], work->y);
}

// Finds the factors of the columns in `used`, by Gauss's elimination; the factors of all other
// columns become 0. Returns false, with all factors 0, if the columns are linearly dependent.
static bool solve_used(const struct normal *normal, const bool *used, double *factor)
{
    double a[COLUMNS][COLUMNS + 1];
    size_t index[COLUMNS], n = 0;
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

// Finds the factors of the columns; the factors of steps are at least 0. Returns the weighted sum
// of squared deviations; infinity if there is no solution, or if the base is below base_least.
static double solve(const struct work *work, const struct normal *normal, double *factor)
{
    bool used[COLUMNS];
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
    double cost = dot(work, work->y, work->y);
    for (size_t i = 0; i < normal->count; i++)
        cost -= factor[i] * normal->matrix[i][normal->count];
    return fmax(cost, 0);
}

static void fill_column(const struct work *work, size_t j, unsigned shape)
{
    step_shapes_fill(work->shapes, shape, &work->places, work->n, work->column[j]);
}

static void fill_normal(const struct work *work, const struct staircase *fit, struct normal *normal)
{
    normal->count = fit->count + 1;
    for (size_t k = 0; k < fit->count; k++) {
        step_shapes_place(work->x, work->n, fit->steps[k].end, &work->places);
        fill_column(work, k + 1, fit->steps[k].shape);
    }
    for (size_t j = 0; j < normal->count; j++)
        set_column(work, normal, j);
}

static double solve_fit(const struct work *work, struct staircase *fit)
{
    struct normal normal;
    double factor[COLUMNS];
    fill_normal(work, fit, &normal);
    double cost = solve(work, &normal, factor);
    fit->base = factor[0];
    for (size_t k = 0; k < fit->count; k++)
        fit->steps[k].rise = factor[k + 1];
    return cost;
}

// ---------------------------------------------------------------- the search

struct range {
    double from, to, by;
    bool coarse; // true: try only some of the shapes
    bool steep;  // true: try only even and spread shapes
};

static double height_below(const struct staircase *fit, size_t k)
{
    double height = fit->base;
    for (size_t i = 0; i < fit->count; i++)
        if (fit->steps[i].end < fit->steps[k].end)
            height += fit->steps[i].rise;
    return height;
}

// True if step k may end at `end`: no other step ends within apart_min of it.
static bool is_apart(const struct staircase *fit, size_t k, double end)
{
    for (size_t i = 0; i < fit->count; i++)
        if (i != k && fabs(fit->steps[i].end - end) < apart_min)
            return false;
    return true;
}

// Finds the best end, in the range, and the best shape of step k. The ends and shapes of all other
// steps stay. Returns the cost; infinity, with *fit unchanged, if no end is possible.
static double improve(const struct work *work, struct staircase *fit, size_t k,
                      const struct range *range)
{
    struct normal normal;
    struct staircase trial = *fit;
    double best = (double)INFINITY;
    fill_normal(work, fit, &normal);
    double next = range->from;
    while (next <= range->to) {
        double end = next;
        next += range->by;
        if (!is_apart(fit, k, end))
            continue;
        step_shapes_place(work->x, work->n, end, &work->places);
        for (unsigned shape = 0; shape < STEP_SHAPES; shape++) {
            double factor[COLUMNS];
            if ((range->coarse && shape % 3 != 1 && shape) ||
                (range->steep && !step_shape_is_steep(shape)))
                continue;
            fill_column(work, k + 1, shape);
            set_column(work, &normal, k + 1);
            double cost = solve(work, &normal, factor);
            if (cost >= best)
                continue;
            trial.steps[k].end = end;
            trial.base = factor[0];
            for (size_t i = 0; i < fit->count; i++)
                trial.steps[i].rise = factor[i + 1];
            if (trial.steps[k].rise < rise_min * height_below(&trial, k))
                continue;
            best = cost;
            trial.steps[k].shape = shape;
            *fit = trial;
        }
    }
    return best;
}

static double improve_all(const struct work *work, struct staircase *fit, int sweeps, bool steep)
{
    double cost = solve_fit(work, fit);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (size_t k = 0; k < fit->count; k++) {
            struct staircase trial = *fit;
            double end = fit->steps[k].end, reach = sweep ? 0.06 : 0.36, by = sweep ? 0.02 : 0.12;
            const struct range range = {end - reach, end + reach + 0.001, by, false, steep};
            double found = improve(work, &trial, k, &range);
            if (found < cost) {
                cost = found;
                *fit = trial;
            }
        }
    return cost;
}

// Adds the step that reduces the cost most. Returns false, and changes nothing, if the cost falls
// by less than the penalty, or if there are STAIRCASE_STEPS_MAX steps.
static bool add_step(const struct work *work, struct staircase *fit, bool steep, double *cost)
{
    struct staircase trial = *fit;
    double penalty = 3 * log((double)work->n) + 6;
    const struct range range = {work->x[0], work->x[work->n - 1] + 0.01, 0.25, true, steep};
    if (trial.count == STAIRCASE_STEPS_MAX)
        return false;
    trial.steps[trial.count++] = (struct staircase_step){.end = -1e9};
    double found = improve(work, &trial, trial.count - 1, &range);
    if (!isfinite(found))
        return false;
    found = improve_all(work, &trial, 2, steep);
    if (!(found < *cost - penalty))
        return false;
    *fit = trial;
    *cost = found;
    return true;
}

static void remove_at(struct staircase *fit, size_t k)
{
    fit->count--;
    memmove(&fit->steps[k], &fit->steps[k + 1], (fit->count - k) * sizeof *fit->steps);
}

// Removes steps that the curve does not need, or that are too low.
static void remove_steps(const struct work *work, struct staircase *fit, double *cost)
{
    double penalty = 3 * log((double)work->n) + 6;
    for (size_t k = 0; k < fit->count;) {
        struct staircase trial = *fit;
        remove_at(&trial, k);
        double found = improve_all(work, &trial, 2, false);
        if (found < *cost + penalty || fit->steps[k].rise < rise_min * height_below(fit, k)) {
            *fit = trial;
            *cost = found;
            k = 0;
        } else {
            k++;
        }
    }
}

// Sets the weights of the points. Points far from the fit get less weight (Huber).
static void weigh(const struct work *work, const struct staircase *fit)
{
    for (size_t i = 0; i < work->n; i++) {
        double sigma = work->noise * work->y[i];
        double off =
            fit ? fabs(work->y[i] - staircase_at(work->shapes, fit, work->x[i])) / sigma : 0;
        work->weight[i] = (off > 3 ? 3 / off : 1) / (sigma * sigma);
    }
}

static void sort_steps(struct staircase *fit)
{
    for (size_t i = 1; i < fit->count; i++)
        for (size_t j = i; j > 0 && fit->steps[j].end < fit->steps[j - 1].end; j--) {
            struct staircase_step swap = fit->steps[j];
            fit->steps[j] = fit->steps[j - 1];
            fit->steps[j - 1] = swap;
        }
}

// Widens the interval of an end, because no cache has exactly the shape of the fit. A slow rise
// gets a wider interval: a different shape with a different end may fit it equally well, because
// pages at any address fill sets unevenly.
static void widen(const struct step_shapes *shapes, struct staircase_step *step)
{
    double middle = 0, margin = step_shape_is_slow(step->shape) ? 0.45 : STAIRCASE_MARGIN;
    while (step_shapes_share(shapes, step->shape, middle) < 0.5 && middle < 0.3)
        middle += 1.0 / 64;
    step->end_low -= margin;
    step->end_high = fmax(step->end_high + margin, step->end + middle);
}

static void find_interval(const struct work *work, struct staircase *fit, size_t k, double cost)
{
    double freedom = fmax((double)work->n - 3.0 * (double)fit->count - 1, 1);
    double worst = cost + 3.84 * fmax(cost / freedom, 1);
    struct staircase_step *step = &fit->steps[k];
    step->end_low = step->end_high = step->end;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int i = 1; i <= 40; i++) {
            struct staircase trial = *fit;
            double end = step->end + sign * 0.015 * i;
            double found =
                improve(work, &trial, k, &(struct range){end, end + 0.001, 1, false, false});
            if (!(found <= worst))
                break;
            step->end_low = fmin(step->end_low, end);
            step->end_high = fmax(step->end_high, end);
        }
    widen(work->shapes, step);
    // The interval contains the two points between which the end lies.
    for (size_t i = 0; i + 1 < work->n; i++)
        if (work->x[i] <= step->end && work->x[i + 1] > step->end) {
            step->end_low = fmin(step->end_low, work->x[i]);
            step->end_high = fmax(step->end_high, work->x[i + 1]);
        }
}

// ---------------------------------------------------------------- the whole

// Returns the relative noise of a point, from second differences (as in math/plateaus.c) and
// noise_least.
static double noise_of(const struct work *work)
{
    size_t count = 0;
    for (size_t i = 1; i + 1 < work->n; i++) {
        double left = work->x[i] - work->x[i - 1], right = work->x[i + 1] - work->x[i];
        if (left + right <= 0)
            continue;
        double t = left / (left + right);
        double middle = (1 - t) * log(work->y[i - 1]) + t * log(work->y[i + 1]);
        work->scratch[count++] =
            fabs(log(work->y[i]) - middle) / sqrt(1 + t * t + (1 - t) * (1 - t));
    }
    return root_of_squares(count ? 1.4826 * stats_median(work->scratch, count) : 0, noise_least);
}

// Returns Huber's loss of all deviations from the fit. Unlike the cost, which depends on the
// weights of each search, the losses of two fits can be compared.
static double loss_of(const struct work *work, const struct staircase *fit)
{
    double loss = 0;
    for (size_t i = 0; i < work->n; i++) {
        double off = fabs(work->y[i] - staircase_at(work->shapes, fit, work->x[i])) /
                     (work->noise * work->y[i]);
        loss += off < 3 ? off * off : 6 * off - 9;
    }
    return loss;
}

// Fits steps. If `steep`, begins with only the steep shapes. Returns the loss plus the penalty of
// all steps.
static double search(const struct work *work, struct staircase *fit, bool steep)
{
    weigh(work, NULL);
    double cost = improve_all(work, fit, 3, steep);
    while (add_step(work, fit, steep, &cost))
        ;
    weigh(work, fit);
    cost = improve_all(work, fit, 3, false);
    while (add_step(work, fit, false, &cost))
        ;
    remove_steps(work, fit, &cost);
    cost = improve_all(work, fit, 2, false);
    return loss_of(work, fit) + (3 * log((double)work->n) + 6) * (double)fit->count;
}

// Makes a fit with sharp steps at the ends of the plateaus, from which a search may begin.
static void begin_at(const struct plateaus *plateaus, struct staircase *fit)
{
    fit->count = 0;
    for (size_t k = 0; k + 1 < plateaus->flat && k < STAIRCASE_STEPS_MAX; k++)
        fit->steps[fit->count++] =
            (struct staircase_step){.end = plateaus->steps[k].end, .shape = STEP_SHAPE_SHARP};
}

bool staircase_fit(struct arena *arena, const struct step_shapes *shapes,
                   const struct plateaus_desc *curve, const struct plateaus *plateaus,
                   struct staircase *fit)
{
    const double *x = curve->x, *y = curve->y;
    size_t count = curve->count;
    struct arena_mark mark = arena_mark(arena);
    struct work work = {.shapes = shapes, .x = x, .y = y, .n = count};
    *fit = (struct staircase){.count = 0};
    if (count < 8)
        return false;
    work.weight = ARENA_ARRAY(arena, count, double);
    work.scratch = ARENA_ARRAY(arena, count, double);
    work.places = (struct step_places){.index = ARENA_ARRAY(arena, count, int),
                                       .part = ARENA_ARRAY(arena, count, double),
                                       .beyond = ARENA_ARRAY(arena, count, double)};
    for (size_t j = 0; j < COLUMNS; j++)
        work.column[j] = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++)
        work.column[0][i] = 1;
    fit->noise = work.noise = noise_of(&work);
    work.base_least = y[0];
    for (size_t i = 1; i < count; i++)
        work.base_least = fmin(work.base_least, y[i]);
    work.base_least *= 0.8;
    double cost = (double)INFINITY;
    for (int start = plateaus ? 2 : 1; start >= 0; start--) {
        struct staircase trial = {.noise = work.noise};
        if (start == 2)
            begin_at(plateaus, &trial);
        double found = search(&work, &trial, start > 0);
        if (found >= cost)
            continue;
        cost = found;
        *fit = trial;
    }
    fit->points = count;
    sort_steps(fit);
    weigh(&work, fit);
    cost = solve_fit(&work, fit);
    for (size_t k = 0; k < fit->count; k++)
        find_interval(&work, fit, k, cost);
    fit->misfit = sqrt(cost / fmax((double)count - 3.0 * (double)fit->count - 1, 1));
    arena_rewind(arena, mark);
    return true;
}

// Returns Huber's loss of a step with this end and its best shape; sets *best_shape.
static double step_cost(const struct step_shapes *shapes, const struct staircase_points *points,
                        double low, double high, double end, unsigned *best_shape)
{
    double best = (double)INFINITY;
    for (unsigned shape = 0; shape < STEP_SHAPES; shape++) {
        double cost = 0;
        if (step_shape_is_gradual(shape))
            continue;
        for (size_t i = 0; i < points->count; i++) {
            double share = step_shapes_share(shapes, shape, points->x[i] - end);
            double y = low + (high - low) * share;
            // The shapes have an error of about 3 % of the step.
            double sigma = root_of_squares(points->noise * y, 0.03 * (high - low));
            double off = fabs(points->y[i] - y) / sigma;
            cost += off < 3 ? off * off : 6 * off - 9;
        }
        if (cost < best) {
            best = cost;
            *best_shape = shape;
        }
    }
    return best;
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
    widen(shapes, step);
    return best < 4 * (double)points->count;
}
