// SPDX-License-Identifier: MIT
#include "math/staircase.h"
#include "math/staircase_work.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    // A step that only chains with other strides show must lower the loss of these chains' points
    // by this.
    OTHERS_MARGIN = 16,
    FLAT_POINTS = 4 // minimum number of points of a flat part between two steps
};

// relative error of the fitted shapes; the noise of the curve's points includes it
static const double noise_least = 0.01;
// minimum length of a flat part between two steps, in octaves
static const double flat_octaves = 0.5;

double staircase_at(const struct step_shapes *shapes, const struct staircase *fit, double x)
{
    double y = fit->base;
    for (size_t k = 0; k < fit->count; k++)
        y += fit->steps[k].rise *
             step_shapes_share(shapes, fit->steps[k].shape, x - fit->steps[k].end);
    return y;
}

// ---------------------------------------------------------------- intervals

static void find_interval(const struct staircase_work *work, struct staircase *fit, size_t k,
                          double cost)
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
                staircase_improve(work, &trial, k,
                                  &(struct staircase_range){end, end + 0.001, 1, false, false,
                                                            1u << fit->steps[k].kind});
            if (!(found <= worst))
                break;
            step->end_low = fmin(step->end_low, end);
            step->end_high = fmax(step->end_high, end);
        }
    staircase_widen(work->shapes, step);
    // The interval reaches at least to the points on both sides of the step's end.
    for (size_t i = 0; i + 1 < work->curve; i++)
        if (work->x[i] <= step->end && work->x[i + 1] > step->end) {
            step->end_low = fmin(step->end_low, work->x[i]);
            step->end_high = fmax(step->end_high, work->x[i + 1]);
        }
}

// ---------------------------------------------------------------- the whole

// Returns the loss of the points of chains with other strides: −2 times a log likelihood, in which
// a point adds at most STAIRCASE_OTHER_MOST. Adds the squared deviations to *squares.
static double others_loss(const struct staircase_work *work, const struct staircase *fit,
                          double *squares)
{
    double loss = 0;
    for (size_t i = work->curve; i < work->n; i++) {
        const struct staircase_expected expected = staircase_expect(work, fit, i);
        double off = fabs(work->y[i] - expected.y) / expected.sigma;
        loss += fmin(off * off, STAIRCASE_OTHER_MOST) +
                2 * log(expected.sigma / (work->others->noise * work->y[i]));
        *squares += fmin(off * off, STAIRCASE_OTHER_MOST);
    }
    return loss;
}

// Returns how badly a fit describes all points; unlike costs, losses of two fits can be compared.
static double loss_of(const struct staircase_work *work, const struct staircase *fit)
{
    double squares = 0, loss = others_loss(work, fit, &squares);
    for (size_t i = 0; i < work->curve; i++) {
        const struct staircase_expected expected = staircase_expect(work, fit, i);
        double off = fabs(work->y[i] - expected.y) / expected.sigma;
        loss += off < 3 ? off * off : 6 * off - 9;
        loss += 2 * log(expected.sigma / (work->noise * work->y[i]));
    }
    return loss;
}

// True if between the ends of two caches, almost all loads miss the smaller cache and hit the
// larger.
static bool is_flat_between(const struct staircase_work *work, const struct staircase_step *a,
                            const struct staircase_step *b)
{
    const struct staircase_step *first = a->end < b->end ? a : b, *second = first == a ? b : a;
    double from = (double)INFINITY, to = -from;
    size_t count = 0;
    for (size_t i = 0; i < work->curve; i++) {
        double x = work->x[i];
        if (x < first->end || x > second->end ||
            step_shapes_share(work->shapes, first->shape, x - first->end) < 0.97 ||
            step_shapes_share(work->shapes, second->shape, x - second->end) > 0.03)
            continue;
        from = fmin(from, x);
        to = fmax(to, x);
        count++;
    }
    return count >= FLAT_POINTS && to - from >= flat_octaves;
}

// Returns true if only chains with other strides can show step k: it has kind 0, or it may be a
// part of a larger step beside it with an unknown shape.
static bool needs_others(const struct staircase_work *work, const struct staircase *fit, size_t k)
{
    for (size_t i = 0; i < fit->count; i++)
        if (i != k && fit->steps[i].kind && fit->steps[i].rise > fit->steps[k].rise &&
            fabs(fit->steps[i].end - fit->steps[k].end) < STAIRCASE_NEAR &&
            !is_flat_between(work, &fit->steps[i], &fit->steps[k]))
            return true;
    return !fit->steps[k].kind;
}

static void remove_at(struct staircase *fit, size_t k)
{
    fit->count--;
    memmove(&fit->steps[k], &fit->steps[k + 1], (fit->count - k) * sizeof *fit->steps);
}

// Removes each step whose removal raises the cost too little, whose rise is too small, or which
// chains with other strides should show but do not.
static void remove_steps(const struct staircase_work *work, struct staircase *fit, double *cost)
{
    double penalty = 3 * log((double)work->n) + 6, squares = 0;
    for (size_t k = 0; k < fit->count;) {
        struct staircase trial = *fit;
        remove_at(&trial, k);
        double found = staircase_improve_all(work, &trial, 2, false);
        bool hidden =
            work->others && needs_others(work, fit, k) &&
            others_loss(work, &trial, &squares) < others_loss(work, fit, &squares) + OTHERS_MARGIN;
        if (found < *cost + penalty || fit->steps[k].rise < staircase_least_rise(work, fit, k) ||
            hidden) {
            *fit = trial;
            *cost = found;
            k = 0;
        } else {
            k++;
        }
    }
}

// Searches for the best steps, beginning with the steps of `fit`. With `steep`, tries only steep
// shapes at first. Returns the loss plus the penalty of all steps.
static double search(const struct staircase_work *work, struct staircase *fit, bool steep)
{
    staircase_weigh(work, NULL);
    double cost = staircase_improve_all(work, fit, 3, steep);
    while (staircase_add_step(work, fit, steep, &cost))
        ;
    staircase_weigh(work, fit);
    cost = staircase_improve_all(work, fit, 3, false);
    while (staircase_add_step(work, fit, false, &cost))
        ;
    remove_steps(work, fit, &cost);
    cost = staircase_improve_all(work, fit, 2, false);
    return loss_of(work, fit) + (3 * log((double)work->n) + 6) * (double)fit->count;
}

// Makes a fit to begin a search: a sharp step at the end of each flat plateau but the last one.
static void begin_at(const struct plateaus *plateaus, struct staircase *fit)
{
    fit->count = 0;
    for (size_t k = 0; k + 1 < plateaus->flat && k < STAIRCASE_STEPS_MAX; k++)
        fit->steps[fit->count++] =
            (struct staircase_step){.end = plateaus->steps[k].end, .shape = STEP_SHAPE_SHARP};
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

// Sorts the steps of a fit, and sets the heights, the interval of each step's end, and the misfit.
static void finish(const struct staircase_work *work, struct staircase *fit)
{
    sort_steps(fit);
    staircase_weigh(work, fit);
    double cost = staircase_solve_fit(work, fit);
    for (size_t k = 0; k < fit->count; k++)
        find_interval(work, fit, k, cost);
    fit->misfit = sqrt(cost / fmax((double)work->n - 3.0 * (double)fit->count - 1, 1));
}

bool staircase_fit(struct arena *arena, const struct step_shapes *shapes,
                   const struct plateaus_desc *curve, const struct plateaus *plateaus,
                   struct staircase *fit)
{
    const double *x = curve->x, *y = curve->y;
    size_t count = curve->count;
    struct arena_mark mark = arena_mark(arena);
    struct staircase_work work = {.shapes = shapes, .x = x, .y = y, .n = count, .curve = count};
    *fit = (struct staircase){.count = 0};
    if (count < 8)
        return false;
    staircase_prepare(arena, &work);
    fit->noise = work.noise =
        root_of_squares(plateaus_noise(x, y, count, work.scratch), noise_least);
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
    finish(&work, fit);
    arena_rewind(arena, mark);
    return true;
}

// Sets `lead` of step k: how much the loss grows if the step must have another kind.
static void find_lead(const struct staircase_work *work, struct staircase *fit, size_t k,
                      double loss)
{
    struct staircase trial = *fit;
    double end = fit->steps[k].end;
    unsigned kinds = fit->steps[k].kind ? 1u : STAIRCASE_ALL_KINDS & ~1u;
    const struct staircase_range range = {end - 0.6, end + 0.601, 0.06, false, false, kinds};
    fit->steps[k].lead = (double)INFINITY;
    if (isfinite(staircase_improve(work, &trial, k, &range)))
        fit->steps[k].lead = fmax(loss_of(work, &trial) - loss, 0);
}

void staircase_refine(struct arena *arena, const struct step_shapes *shapes,
                      const struct plateaus_desc *curve, const struct staircase_others *others,
                      struct staircase *fit)
{
    struct arena_mark mark = arena_mark(arena);
    size_t count = curve->count, all = count + others->count;
    double *x = ARENA_ARRAY(arena, all, double), *y = ARENA_ARRAY(arena, all, double);
    struct staircase_work work = {.shapes = shapes, .x = x, .y = y, .n = all, .curve = count};
    memcpy(x, curve->x, count * sizeof *x);
    memcpy(x + count, others->x, others->count * sizeof *x);
    memcpy(y, curve->y, count * sizeof *y);
    memcpy(y + count, others->y, others->count * sizeof *y);
    for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++) {
        work.seen[kind] = ARENA_ARRAY(arena, others->count, double);
        for (size_t i = 0; i < others->count; i++)
            work.seen[kind][i] = others->x[i] + others->shift[kind][i];
    }
    work.others = others;
    work.noise = fit->noise;
    staircase_prepare(arena, &work);
    staircase_weigh(&work, fit);
    double cost = staircase_improve_all(&work, fit, 3, false);
    while (staircase_add_step(&work, fit, false, &cost))
        ;
    staircase_weigh(&work, fit);
    cost = staircase_improve_all(&work, fit, 3, false);
    remove_steps(&work, fit, &cost);
    staircase_weigh(&work, fit);
    staircase_improve_all(&work, fit, 2, false);
    finish(&work, fit);
    for (size_t k = 0; k < fit->count; k++)
        find_lead(&work, fit, k, loss_of(&work, fit));
    fit->others_misfit = 0;
    others_loss(&work, fit, &fit->others_misfit);
    fit->others_misfit /= (double)others->count;
    fit->points = all;
    arena_rewind(arena, mark);
}
