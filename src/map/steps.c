// SPDX-License-Identifier: MIT
#include "map/steps.h"

#include "bench/map.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    FLAT_POINTS = 4,
    SINGLE_LEAST =
        2 // minimum number of chains with one node in each line that can show a flat level
};

// Maximum relative difference, in addition to noise, between a point and the height of its level.
static const double height_part = 0.03;

// Maximum share of a point's loads that hit an earlier level, or that miss the point's own level.
static const double unsettled = 0.03;
static const double flat_octaves = 0.3;
// Steps fewer octaves apart are merged. (The half of a cache ends 1 octave before the cache.)
static const double close_octaves = 0.93;
// Neighbouring steps of caches without a flat part between them are merged at these distances. A
// real cache is usually at least 2.5 times as large as the one before, or twice as large as its
// near half.
static const double one_rise_least = 1.1, one_rise = 1.3;
// If the misfit of the latency curve is larger than this, steps of caches do not explain the curve.
static const double misfit_max = 4;
// If the relative noise of the latency curve is larger than this, the curve shows no levels.
static const double noise_max = 0.1;

// ---------------------------------------------------------------- the curve of the caches

// Returns the latency of the level after the first `k` steps of the curve that are caches.
static double height_after(const struct map_steps *steps, size_t k)
{
    double height = steps->all.base;
    for (size_t i = 0; i < k; i++)
        height += steps->all.steps[steps->step[i]].rise;
    return height;
}

// Returns the latency of point i, without address translation, divided by `height`.
static double part_of(const struct map_steps *steps, size_t i, double height)
{
    double translation = map_steps_translation(steps, exp2(steps->curve.octaves[i]));
    return (steps->curve.ns[i] - translation) / height;
}

// True if almost all loads of point i of the curve hit level k, by the fit.
static bool is_settled(const struct map_steps *steps, size_t i, size_t k)
{
    for (size_t j = 0; j + 1 < steps->curve.fit.count; j++) {
        const struct staircase_step *step = &steps->all.steps[steps->step[j]];
        double share =
            step_shapes_share(steps->shapes, step->shape, steps->curve.octaves[i] - step->end);
        if (j < k ? share < 1 - unsettled : share > unsettled)
            return false;
    }
    return true;
}

// Returns the time in ns by which loads that hit other levels than k change point i, by the fit.
static double changed_by_levels(const struct map_steps *steps, size_t i, size_t k)
{
    double ns = 0;
    for (size_t j = 0; j + 1 < steps->curve.fit.count; j++) {
        const struct staircase_step *step = &steps->all.steps[steps->step[j]];
        double share =
            step_shapes_share(steps->shapes, step->shape, steps->curve.octaves[i] - step->end);
        ns += (j < k ? 1 - share : share) * step->rise;
    }
    return ns;
}

// Sets the points that show the last level, if address translation adds to all of them: the first
// FLAT_POINTS points whose loads almost all miss the caches. Translation adds least to these
// points.
static void find_translated(const struct map_steps *steps, size_t k, double from,
                            struct plateau *level)
{
    const struct level_curve *curve = &steps->curve;
    size_t first = 0;
    while (first < curve->count && (curve->octaves[first] <= from || !is_settled(steps, first, k)))
        first++;
    if (first + FLAT_POINTS > curve->count)
        return;
    level->first = first;
    level->last = first + FLAT_POINTS - 1;
    level->x_first = curve->octaves[level->first];
    level->x_last = curve->octaves[level->last];
}

// Sets the first and last point between `from` and `to` that show level k: almost all loads hit it,
// and address translation adds almost nothing. For a last level without such a point, calls
// find_translated.
static void find_points(const struct map_steps *steps, size_t k, double from, double to,
                        struct plateau *level)
{
    const struct level_curve *curve = &steps->curve;
    *level = (struct plateau){.height = level->height, .first = 1};
    bool any = false;
    double part = root_of_squares(height_part, 2 * steps->all.noise);
    for (size_t i = 0; i < curve->count; i++) {
        double x = curve->octaves[i];
        bool at = x > from && x < to && is_settled(steps, i, k) &&
                  fabs(part_of(steps, i, level->height) - 1) < part &&
                  map_steps_translation(steps, exp2(x)) < height_part * level->height;
        if (!at)
            continue;
        if (!any)
            level->first = i;
        level->last = i;
        any = true;
    }
    if (!any && !isfinite(to))
        find_translated(steps, k, from, level);
    if (!any)
        return;
    // All later points belong to the last level, too, as long as address translation adds little.
    while (!isfinite(to) && level->last + 1 < curve->count &&
           map_steps_translation(steps, exp2(curve->octaves[level->last + 1])) <
               height_part * level->height)
        level->last++;
    level->x_first = curve->octaves[level->first];
    level->x_last = curve->octaves[level->last];
}

// True if enough successive points have the height of level k, without address translation.
static bool is_flat(const struct map_steps *steps, size_t k)
{
    const struct level_curve *curve = &steps->curve;
    double height = curve->fit.levels[k].height, from = 0;
    double part = root_of_squares(height_part, 2 * steps->all.noise);
    bool outermost = k == 0 || k + 1 == curve->fit.count;
    size_t row = 0;
    for (size_t i = 0; i < curve->count; i++) {
        if (fabs(part_of(steps, i, height) - 1) >= part) {
            row = 0;
            continue;
        }
        if (row++ == 0)
            from = curve->octaves[i];
        if (row >= FLAT_POINTS && curve->octaves[i] - from >= (outermost ? 0.1 : flat_octaves))
            return true;
    }
    return false;
}

// True if all chains with one node in each line, at least SINGLE_LEAST, have the height of level k.
static bool is_flat_for_probes(struct arena *arena, const struct map_steps *steps, size_t k)
{
    const struct level_curve single = map_steps_single(arena, steps, k);
    double height = steps->curve.fit.levels[k].height;
    double part = root_of_squares(height_part, 2 * steps->all.noise);
    for (size_t i = 0; i < single.count; i++)
        if (fabs(single.ns[i] / height - 1) >= part)
            return false;
    return single.count >= SINGLE_LEAST;
}

// True if the two ends of level k are near to each other. The level may then be a part of one rise.
static bool is_short(const struct map_steps *steps, size_t k)
{
    const struct plateaus *fit = &steps->curve.fit;
    return k > 0 && k + 1 < fit->count &&
           fit->steps[k].end - fit->steps[k - 1].end < STAIRCASE_NEAR;
}

static bool is_wide(const struct metric *metric, double most)
{
    return !metric || metric->ci95[1] - metric->ci95[0] > most * metric->median;
}

bool map_steps_noisy(const struct map_steps *steps, const struct result *result)
{
    // If the core clock had two states, rounds ran at both, so the interval may be wide.
    double most = steps->clocks.usual_ghz > 0 ? 0.5 : 0.1;
    return is_wide(result_metric(result, "latency"), most) &&
           is_wide(result_metric(result, "latency_cycles"), most);
}

// True if most points of the curve with `from` < x < `to` are noisy.
static bool are_noisy(const struct map_steps *steps, double from, double to)
{
    size_t noisy = 0, count = 0;
    for (size_t i = 0; i < steps->curve.count; i++)
        if (steps->curve.octaves[i] > from && steps->curve.octaves[i] < to) {
            noisy += map_steps_noisy(steps, steps->curve.results[i]);
            count++;
        }
    return 2 * noisy > count;
}

static const char *why_no_fit(const struct map_steps *steps)
{
    if (steps->all.noise > noise_max)
        return "the noise is as large as the smallest step";
    if (are_noisy(steps, -1, (double)INFINITY))
        return "noisy: most points of the curve are suspect";
    if (steps->all.misfit > misfit_max)
        return "caches do not explain the curve";
    return NULL;
}

// Returns the height of the first level in ns: the median before its end, without translation. With
// too few points, or a median that differs by 10 % or more, returns the fitted height.
static double first_height(struct arena *arena, const struct map_steps *steps)
{
    const struct plateaus *fit = &steps->curve.fit;
    double *ns = ARENA_ARRAY(arena, steps->curve.count, double), height = height_after(steps, 0);
    double to = fit->count > 1 ? fit->steps[0].end_low : (double)INFINITY;
    size_t count = 0;
    while (count < steps->curve.count && steps->curve.octaves[count] < to) {
        double translation = map_steps_translation(steps, exp2(steps->curve.octaves[count]));
        ns[count] = steps->curve.ns[count] - translation;
        count++;
    }
    double seen = count < FLAT_POINTS ? height : stats_median(ns, count);
    return fabs(seen / height - 1) < 0.1 ? seen : height;
}

// Returns the maximum time in ns that address translation can plausibly add: a few loads of a page
// table from memory. A time of more than two loads is plausible only if the probes fit closely,
// because TLBs can also be fitted to a curve that only rises.
static double dearest_translation(const struct map_steps *steps)
{
    const struct plateaus *fit = &steps->curve.fit;
    bool close = fit->count > 1 && steps->all.others_misfit < 0.5;
    return (close ? 8 : 2) * fit->levels[fit->count - 1].height;
}

// Makes the levels of the curve (steps->curve.fit) from its steps, without the steps of TLBs.
static void make_fit(struct arena *arena, struct map_steps *steps)
{
    struct plateaus *fit = &steps->curve.fit;
    *fit = (struct plateaus){.count = 1, .noise = steps->all.noise};
    for (size_t i = 0; i < steps->all.count; i++) {
        const struct staircase_step *step = &steps->all.steps[i];
        if (steps->kinds[i] == STEP_TRANSLATION)
            continue;
        size_t k = fit->count++ - 1;
        steps->step[k] = i;
        fit->steps[k] =
            (struct plateaus_step){.end = step->end,
                                   .end_low = step->end_low,
                                   .end_high = step->end_high,
                                   .width = step_shapes_width(steps->shapes, step->shape)};
    }
    for (size_t k = 0; k < fit->count; k++) {
        fit->levels[k].height = k ? height_after(steps, k) : first_height(arena, steps);
        find_points(steps, k, k ? fit->steps[k - 1].end : -1.0,
                    k + 1 < fit->count ? fit->steps[k].end : (double)INFINITY, &fit->levels[k]);
    }
    fit->reason = why_no_fit(steps);
    while (!fit->reason && fit->flat < fit->count) {
        size_t k = fit->flat;
        bool noisy = are_noisy(steps, k ? fit->steps[k - 1].end : -1.0,
                               k + 1 < fit->count ? fit->steps[k].end : (double)INFINITY);
        if (noisy)
            fit->reason = "noisy: most points of the next level are suspect";
        else if ((!steps->explained || is_short(steps, k)) && !is_flat(steps, k) &&
                 !(k + 1 < fit->count && is_flat_for_probes(arena, steps, k)))
            fit->reason = "the curve rises without flat parts";
        else if (k + 1 < fit->count && steps->kinds[steps->step[k]] == STEP_UNKNOWN)
            fit->reason = "address translation may make the next step";
        // If level k is flat, it counts even if there is a reason to stop here: the curve is flat
        // on both sides of the rise before level k, so that rise is valid.
        if (!fit->reason || (k > 0 && !noisy && is_flat(steps, k)))
            fit->flat++;
    }
    double most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    if (!fit->reason && map_steps_translation(steps, most) > dearest_translation(steps)) {
        fit->reason = "the curve rises without flat parts";
        fit->flat = fit->count - 1;
    }
    fit->decided = !fit->reason;
}

double map_steps_translation(const struct map_steps *steps, double bytes)
{
    double ns = 0;
    for (size_t i = 0; i < steps->all.count; i++) {
        const struct staircase_step *step = &steps->all.steps[i];
        if (steps->kinds[i] == STEP_TRANSLATION)
            ns +=
                step->rise * step_shapes_share(steps->shapes, step->shape, log2(bytes) - step->end);
    }
    return ns;
}

bool map_steps_may_be_translated(const struct map_steps *steps, double bytes, bool any)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if ((steps->kinds[i] == STEP_UNKNOWN || (any && steps->kinds[i] == STEP_TRANSLATION)) &&
            log2(bytes) > steps->all.steps[i].end - 0.1)
            return true;
    return false;
}

// Returns the spread of level k between the rises at its ends, without address translation: the
// 90th minus the 10th percentile, divided by the level's height; 0 if it has no points.
static double spread_of(struct arena *arena, const struct map_steps *steps, size_t k)
{
    const struct plateaus *fit = &steps->curve.fit;
    double *parts = ARENA_ARRAY(arena, steps->curve.count, double);
    double from = k ? fit->steps[k - 1].end : -1.0;
    double to = k + 1 < fit->count ? fit->steps[k].end : (double)INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < steps->curve.count; i++)
        if (steps->curve.octaves[i] > from && steps->curve.octaves[i] < to &&
            is_settled(steps, i, k) &&
            changed_by_levels(steps, i, k) < MAP_STEPS_OTHERS * fit->levels[k].height)
            parts[count++] = part_of(steps, i, fit->levels[k].height);
    return count ? stats_spread(parts, count) : 0;
}

double map_steps_noise(struct arena *arena, const struct map_steps *steps)
{
    return 2 * spread_of(arena, steps, 0);
}

bool map_steps_is_even(struct arena *arena, const struct map_steps *steps, size_t k, double most)
{
    return spread_of(arena, steps, k) < most + map_steps_noise(arena, steps);
}

// ---------------------------------------------------------------- probes

const struct result *map_steps_chain_result(const struct map_steps *steps, const struct run *run,
                                            const char *what, size_t level,
                                            const struct lines_chain *chain)
{
    for (size_t i = 0; i < run->result_count && steps->curve.count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "map", steps->curve.results[0]->device) &&
            case_says(&result->bench_case, "what", what) &&
            case_uint(&result->bench_case, "level") == level &&
            case_uint(&result->bench_case, "pitch") == (uint64_t)chain->stride &&
            fabs(log((double)case_uint(&result->bench_case, "bytes") / chain->region)) < 0.02)
            return result;
    }
    return NULL;
}

double map_steps_chain(const struct map_steps *steps, const struct run *run, const char *what,
                       size_t level, const struct lines_chain *chain)
{
    const struct result *result = map_steps_chain_result(steps, run, what, level, chain);
    return result ? map_steps_ns(steps, result) : NAN;
}

// ---------------------------------------------------------------- the whole

// Merges neighbouring steps less than close_octaves apart, because a cache whose sets fill unevenly
// may look like two. Does not merge the step of a TLB with that of a cache.
static void merge_close(struct staircase *all)
{
    for (size_t i = 0; i + 1 < all->count;) {
        struct staircase_step *step = &all->steps[i], *next = step + 1;
        if (next->end - step->end >= close_octaves || !step->kind != !next->kind) {
            i++;
            continue;
        }
        step->rise += next->rise;
        step->end_high = fmax(step->end_high, next->end);
        all->count--;
        memmove(next, next + 1, (all->count - i - 1) * sizeof *next);
    }
}

// Merges the steps of two caches one_rise_least to one_rise octaves apart, if neither the curve nor
// the probes show a flat level between them. Returns false if there are no such steps.
static bool merge_rise(struct arena *arena, struct map_steps *steps)
{
    const struct plateaus *fit = &steps->curve.fit;
    struct staircase *all = &steps->all;
    for (size_t k = 1; k + 1 < fit->count; k++) {
        size_t i = steps->step[k - 1], j = steps->step[k];
        struct staircase_step *first = &all->steps[i], *second = &all->steps[j];
        double apart = second->end - first->end;
        if (apart < one_rise_least || apart >= one_rise || steps->kinds[i] != STEP_CACHE ||
            steps->kinds[j] != STEP_CACHE || is_flat(steps, k) ||
            is_flat_for_probes(arena, steps, k))
            continue;
        struct staircase_step whole = second->rise > first->rise ? *second : *first;
        whole.rise = first->rise + second->rise;
        whole.end_low = first->end_low;
        whole.end_high = fmax(first->end_high, second->end_high);
        *second = whole;
        all->count--;
        memmove(first, first + 1, (all->count - i) * sizeof *first);
        memmove(&steps->kinds[i], &steps->kinds[i + 1], (all->count - i) * sizeof *steps->kinds);
        return true;
    }
    return false;
}

// Steps far beyond `cache_most`, the largest possible cache in bytes, count as those of TLBs.
static void judge_far_steps(struct map_steps *steps, double cache_most)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if (exp2(steps->all.steps[i].end_low) > 4 * cache_most)
            steps->kinds[i] = STEP_TRANSLATION;
}

void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps)
{
    *steps = (struct map_steps){.curve = *curve, .all = steps->all};
    steps->shapes = step_shapes_create(arena);
    if (curve->disturbed)
        return;
    steps->curve.fit = (struct plateaus){.reason = "too few sizes"};
    struct level_curve others = level_curve_empty(arena, curve->count);
    if (!clock_states_choose_cycles(arena, &steps->curve, &steps->clocks))
        clock_states_keep_usual(arena, &steps->curve, &steps->clocks, &others);
    const struct plateaus_desc points = {
        .x = steps->curve.octaves, .y = steps->curve.ns, .count = steps->curve.count};
    size_t count = 0, fitted = steps->all.points;
    // steps->all may already be a fit of all these points. The number of its points shows this.
    if (fitted >= points.count) {
        clock_states_find_heights(arena, steps->shapes, &steps->all, &others, &steps->clocks);
        count = map_steps_find_probes(arena, steps, run);
    }
    if (fitted != points.count + count) {
        if (fitted != points.count &&
            !staircase_fit(arena, steps->shapes, &points, &curve->fit, &steps->all))
            return;
        merge_close(&steps->all);
        clock_states_find_heights(arena, steps->shapes, &steps->all, &others, &steps->clocks);
        count = map_steps_find_probes(arena, steps, run);
        if (count) {
            map_steps_refine(arena, steps);
            steps->all.points = points.count + count;
            merge_close(&steps->all);
        }
    }
    clock_states_find_heights(arena, steps->shapes, &steps->all, &others, &steps->clocks);
    map_steps_find_probes(arena, steps, run);
    if (count)
        map_steps_judge_kinds(steps);
    judge_far_steps(steps, cache_most);
    make_fit(arena, steps);
    while (count && steps->explained && merge_rise(arena, steps))
        make_fit(arena, steps);
}
