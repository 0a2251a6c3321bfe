// SPDX-License-Identifier: MIT
#include "map/steps.h"

#include "bench/map.h"
#include "map/clock_states.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    FLAT_POINTS = 4,
    PAGE_MIN_BYTES = 4096,
    COST_MOST = 36, // most that one probe adds to the cost
    HYPOTHESES = 5  // hypotheses for a step: translation, or a cache with one of four lines
};

// A point shows a level if it is this close to the level's height (relative).
static const double height_part = 0.03;

static const double flat_octaves = 0.3;
// Steps that are nearer to each other count as one step. The end of a cache's half and the end of
// the whole cache are 1 octave apart.
static const double close_octaves = 0.93;
static const double misfit_max = 4;     // a curve with a larger misfit is no staircase
static const double noise_max = 0.1;    // a noisier curve shows no levels
static const double reach_min = 15.9;   // octaves: a TLB reaches at least 16 pages of 4 KiB
static const double margin = 9;         // 2 ln 90, as in map/lines.c
static const double probe_noise = 0.04; // relative; includes what the shapes leave unexplained

// ---------------------------------------------------------------- the curve of the caches

// Returns the latency of the level after the first `k` steps that are caches.
static double height_after(const struct map_steps *steps, size_t k)
{
    double height = steps->all.base;
    for (size_t i = 0; i < k; i++)
        height += steps->all.steps[steps->step[i]].rise;
    return height;
}

// Returns point i of the curve, less what translation adds, divided by `height`.
static double part_of(const struct map_steps *steps, size_t i, double height)
{
    double translation = map_steps_translation(steps, exp2(steps->curve.octaves[i]));
    return (steps->curve.ns[i] - translation) / height;
}

// Finds the points between x = from and x = to that are at the level's height and to which
// translation adds almost nothing.
static void find_points(const struct map_steps *steps, struct plateau *level, double from,
                        double to)
{
    const struct level_curve *curve = &steps->curve;
    *level = (struct plateau){.height = level->height, .first = 1};
    bool any = false;
    double part = root_of_squares(height_part, 2 * steps->all.noise);
    for (size_t i = 0; i < curve->count; i++) {
        double x = curve->octaves[i];
        bool at = x > from && x < to && fabs(part_of(steps, i, level->height) - 1) < part &&
                  map_steps_translation(steps, exp2(x)) < height_part * level->height;
        if (!at)
            continue;
        if (!any)
            level->first = i;
        level->last = i;
        any = true;
    }
    if (!any)
        return;
    // The last level has no end, so all points after the rise belong to it.
    while (!isfinite(to) && level->last + 1 < curve->count &&
           map_steps_translation(steps, exp2(curve->octaves[level->last + 1])) <
               height_part * level->height)
        level->last++;
    level->x_first = curve->octaves[level->first];
    level->x_last = curve->octaves[level->last];
}

// True if enough points in a row are at the height of level k once translation is subtracted.
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

static bool is_wide(const struct metric *metric, double most)
{
    return !metric || metric->ci95[1] - metric->ci95[0] > most * metric->median;
}

// True if the interval of the point is wider than 10 % (with two clocks: 50 %) both in ns and in
// cycles. If the core clock changes, one of the two varies anyway.
static bool is_doubtful(const struct map_steps *steps, const struct result *result)
{
    double most = steps->clocks.usual_ghz > 0 ? 0.5 : 0.1; // with two clocks, rounds ran at both
    return is_wide(result_metric(result, "latency"), most) &&
           is_wide(result_metric(result, "latency_cycles"), most);
}

// True if most points from x = from to x = to are doubtful.
static bool are_doubtful(const struct map_steps *steps, double from, double to)
{
    size_t doubtful = 0, count = 0;
    for (size_t i = 0; i < steps->curve.count; i++)
        if (steps->curve.octaves[i] > from && steps->curve.octaves[i] < to) {
            doubtful += is_doubtful(steps, steps->curve.results[i]);
            count++;
        }
    return 2 * doubtful > count;
}

static const char *doubt_of(const struct map_steps *steps)
{
    if (steps->all.noise > noise_max)
        return "the noise is as large as the smallest step";
    if (are_doubtful(steps, -1, (double)INFINITY))
        return "noisy: most points of the curve are suspect";
    if (steps->all.misfit > misfit_max)
        return "caches do not explain the curve";
    return NULL;
}

// Returns the height of the first level: the median of the points before its end, if that is within
// 10 % of the fitted height, to which the points of all levels contribute.
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

// Sets the fit of steps->curve from all steps that are not translation.
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
        find_points(steps, &fit->levels[k], k ? fit->steps[k - 1].end : -1.0,
                    k + 1 < fit->count ? fit->steps[k].end : (double)INFINITY);
    }
    fit->reason = doubt_of(steps);
    while (!fit->reason && fit->flat < fit->count) {
        size_t k = fit->flat;
        bool noisy = are_doubtful(steps, k ? fit->steps[k - 1].end : -1.0,
                                  k + 1 < fit->count ? fit->steps[k].end : (double)INFINITY);
        if (noisy)
            fit->reason = "noisy: most points of the next level are suspect";
        else if (!steps->explained && !is_flat(steps, k))
            fit->reason = "the curve rises without flat parts";
        else if (k + 1 < fit->count && steps->kinds[steps->step[k]] == STEP_UNKNOWN)
            fit->reason = "address translation may make the next step";
        // A step is valid if the levels on both sides of it are valid.
        if (!fit->reason || (k > 0 && !noisy && is_flat(steps, k)))
            fit->flat++;
    }
    // TLBs do not cost more than the memory access itself.
    double most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    if (!fit->reason &&
        map_steps_translation(steps, most) > 2 * fit->levels[fit->count - 1].height) {
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
double map_steps_ns(const struct map_steps *steps, const struct result *result)
{
    return clock_states_ns(&steps->clocks, &steps->all, result);
}

// ---------------------------------------------------------------- caches or translation

// A chain with one node in each line.
struct probe {
    double bytes, stride, ns;
};

// The line of each hypothesis; 0 stands for translation. A probe of n nodes takes as long as the
// curve at a region of n × `line` bytes. If address bits choose the set, `line` is the cache's
// line. If a hash does, it is 128 for lines of up to 128 bytes, because the curve's nodes, 128
// bytes apart, use one line each.
static const double hypothesis_line[HYPOTHESES] = {0, 32, 64, MAP_NODE_BYTES, LINES_MAX_BYTES};

static enum map_step_kind kind_of(unsigned hypothesis)
{
    return hypothesis == 0 ? STEP_TRANSLATION : STEP_CACHE;
}

// Returns what step `i` adds to the latency of a probe under a hypothesis, in ns.
static double part_of_step(const struct map_steps *steps, size_t i, const struct probe *probe,
                           unsigned hypothesis)
{
    const struct staircase_step *step = &steps->all.steps[i];
    double x = log2(probe->bytes) - step->end, line = hypothesis_line[hypothesis];
    unsigned shape = step->shape;
    if (line > 0) {
        x += log2(line / probe->stride);
        shape = step_shape_single(shape);
    }
    return step->rise * step_shapes_share(steps->shapes, shape, x);
}

// parts[step][hypothesis]: what part_of_step returns for one probe.
typedef double parts[STAIRCASE_STEPS_MAX][HYPOTHESES];

static double cost_of(const struct map_steps *steps, const struct probe *probes, size_t count,
                      parts *parts_of, const unsigned *choice)
{
    double cost = 0, most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    double sigma = root_of_squares(probe_noise, steps->all.noise);
    for (size_t i = 0; i < count; i++) {
        double ns = steps->all.base;
        if (probes[i].bytes > most)
            continue;
        for (size_t k = 0; k < steps->all.count; k++)
            ns += parts_of[i][k][choice[k]];
        // One wild probe must not decide: sets without a hash fill unevenly at these strides.
        double off = fabs(probes[i].ns - ns) / (sigma * ns);
        cost += fmin(off * off, COST_MOST);
    }
    return cost;
}

// Moves to the next combination of choices. Returns false after the last one.
static bool next_choice(unsigned *choice, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (++choice[i] < HYPOTHESES)
            return true;
        choice[i] = 0;
    }
    return false;
}

static void judge(struct arena *arena, struct map_steps *steps, const struct probe *probes,
                  size_t count)
{
    unsigned choice[STAIRCASE_STEPS_MAX] = {0};
    parts *parts_of = ARENA_ARRAY(arena, count, parts);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < steps->all.count; k++)
            for (unsigned h = 0; h < HYPOTHESES; h++)
                parts_of[i][k][h] = part_of_step(steps, k, &probes[i], h);
    double best[STAIRCASE_STEPS_MAX][STEP_UNKNOWN]; // least cost with the step of that kind
    for (size_t i = 0; i < STAIRCASE_STEPS_MAX; i++)
        best[i][STEP_CACHE] = best[i][STEP_TRANSLATION] = (double)INFINITY;
    do {
        double cost = cost_of(steps, probes, count, parts_of, choice);
        for (size_t i = 0; i < steps->all.count; i++)
            best[i][kind_of(choice[i])] = fmin(best[i][kind_of(choice[i])], cost);
    } while (next_choice(choice, steps->all.count));
    double least = fmin(best[0][STEP_CACHE], best[0][STEP_TRANSLATION]);
    steps->explained = least < 2 * (double)count;
    for (size_t i = 0; i < steps->all.count; i++) {
        double lead = best[i][STEP_TRANSLATION] - best[i][STEP_CACHE];
        steps->kinds[i] = least > 10 * (double)count                              ? STEP_UNKNOWN
                          : lead > margin                                         ? STEP_CACHE
                          : lead < -margin && steps->all.steps[i].end > reach_min ? STEP_TRANSLATION
                                                                                  : STEP_UNKNOWN;
    }
}

bool map_steps_is_probe(const struct map_steps *steps, const struct result *result)
{
    return result_is_of(result, "map", steps->curve.results[0]->device) &&
           case_says(&result->bench_case, "what", MAP_PROBE) &&
           isfinite(map_steps_ns(steps, result));
}

// Finds the run's probes with one node in each line, in `arena`. Returns their number.
static size_t probes_of(struct arena *arena, const struct map_steps *steps, const struct run *run,
                        struct probe **probes)
{
    size_t count = 0;
    *probes = ARENA_ARRAY(arena, run->result_count, struct probe);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!map_steps_is_probe(steps, result))
            continue;
        double stride = (double)case_uint(&result->bench_case, "pitch");
        if (stride > LINES_MAX_BYTES && stride < PAGE_MIN_BYTES)
            (*probes)[count++] = (struct probe){(double)case_uint(&result->bench_case, "bytes"),
                                                stride, map_steps_ns(steps, result)};
    }
    return count;
}

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

// Merges two steps that lie closer together than close_octaves. The end of the merged step lies
// anywhere between both: sets that fill unevenly make the rise of one cache look like two.
static void merge_close(struct staircase *all)
{
    for (size_t i = 0; i + 1 < all->count;) {
        struct staircase_step *step = &all->steps[i], *next = step + 1;
        if (next->end - step->end >= close_octaves) {
            i++;
            continue;
        }
        step->rise += next->rise;
        step->end_high = fmax(step->end_high, next->end);
        all->count--;
        memmove(next, next + 1, (all->count - i - 1) * sizeof *next);
    }
}

// Takes undecided steps for translation if they lie far beyond the largest cache that the device
// may have.
static void judge_far_steps(struct map_steps *steps, double cache_most)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if (steps->kinds[i] == STEP_UNKNOWN && exp2(steps->all.steps[i].end_low) > 4 * cache_most)
            steps->kinds[i] = STEP_TRANSLATION;
}

void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps)
{
    *steps = (struct map_steps){.curve = *curve, .all = steps->all};
    steps->shapes = step_shapes_create(arena);
    steps->curve.fit = (struct plateaus){.reason = "too few sizes"};
    struct level_curve others = level_curve_empty(arena, curve->count);
    if (!clock_states_choose_cycles(arena, &steps->curve, &steps->clocks))
        clock_states_keep_usual(arena, &steps->curve, &steps->clocks, &others);
    const struct plateaus_desc points = {
        .x = steps->curve.octaves, .y = steps->curve.ns, .count = steps->curve.count};
    if (steps->all.points != points.count &&
        !staircase_fit(arena, steps->shapes, &points, &curve->fit, &steps->all))
        return;
    merge_close(&steps->all);
    clock_states_find_heights(arena, steps->shapes, &steps->all, &others, &steps->clocks);
    struct probe *probes;
    size_t count = probes_of(arena, steps, run, &probes);
    if (count)
        judge(arena, steps, probes, count);
    judge_far_steps(steps, cache_most);
    make_fit(arena, steps);
}
