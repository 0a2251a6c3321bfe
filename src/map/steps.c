// SPDX-License-Identifier: MIT
#include "map/steps.h"

#include "bench/map.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    FLAT_POINTS = 4,
    PAGE_MIN_BYTES = 4096,
    COST_MOST = 36,    // of a probe
    DENSE_BYTES = 128, // from node to node in the curve's chains
    HYPOTHESES = 5     // of a step: translation, or a cache with one of four lines
};

// Points this close to a level's height show it (relative).
static const double height_part = 0.03;

static const double clock_part = 0.02; // clocks this near are the same
static const double flat_octaves = 0.3;
static const double close_octaves = 0.93; // the near half of a cache is 1 octave before the whole
static const double misfit_max = 4;       // a curve that fits worse is no staircase
static const double noise_max = 0.1;      // points with more noise show no levels
static const double reach_min = 15.9;     // octaves: no TLB reaches less than 16 pages of 4 KiB
static const double margin = 9;           // 2 ln 90: as in map/lines.c
static const double probe_noise = 0.04;   // of a probe, with what the shapes leave unexplained

// ---------------------------------------------------------------- the curve of the caches

// The height of the level after the first `k` steps of caches.
static double height_after(const struct map_steps *steps, size_t k)
{
    double height = steps->all.base;
    for (size_t i = 0; i < k; i++)
        height += steps->all.steps[steps->step[i]].rise;
    return height;
}

// Point i of the curve without what translation adds, as a part of the height.
static double part_of(const struct map_steps *steps, size_t i, double height)
{
    double translation = map_steps_translation(steps, exp2(steps->curve.octaves[i]));
    return (steps->curve.ns[i] - translation) / height;
}

// The points at the height of level k, without what translation adds.
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
    // What follows the last level has no end: all points behind the rise show it.
    while (!isfinite(to) && level->last + 1 < curve->count &&
           map_steps_translation(steps, exp2(curve->octaves[level->last + 1])) <
               height_part * level->height)
        level->last++;
    level->x_first = curve->octaves[level->first];
    level->x_last = curve->octaves[level->last];
}

// True if enough points in a row are at the height of level k, translation or not.
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

// A point is doubtful if it is not known to 5 %, in ns or in cycles: with the core's clock one of
// both changes.
static bool is_doubtful(const struct map_steps *steps, const struct result *result)
{
    double most = steps->clock_ghz > 0 ? 0.5 : 0.1; // rounds at several clocks
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

static double rise_width(const struct map_steps *steps, unsigned shape)
{
    double octaves = 0;
    while (octaves < 2 && step_shapes_share(steps->shapes, shape, octaves) < 0.95)
        octaves += 1.0 / 16;
    return octaves;
}

// The height of the first level: as the points before its end have it, if it is near that of the
// fit, to which all levels contribute.
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

// Makes the fit of steps->curve from the steps that are not translation.
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
        fit->steps[k] = (struct plateaus_step){.end = step->end,
                                               .end_low = step->end_low,
                                               .end_high = step->end_high,
                                               .width = rise_width(steps, step->shape)};
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
        // A step is valid if the levels on both of its sides are.
        if (!fit->reason || (k > 0 && !noisy && is_flat(steps, k)))
            fit->flat++;
    }
    // TLBs do not cost more than memory itself.
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

// ---------------------------------------------------------------- clocks

// Core cycles in a ns, as a result has them; NaN without cycles.
static double clock_of(const struct result *result)
{
    const struct metric *cycles = result_metric(result, "latency_cycles");
    const struct metric *ns = result_metric(result, "latency");
    return cycles && ns ? cycles->median / ns->median : NAN;
}

static bool is_near_clock(const struct result *result, double ghz)
{
    return fabs(clock_of(result) / ghz - 1) < clock_part;
}

// A latency at the other clock, as a chain with as many hits in each level has it at the usual one.
static double as_at_usual_clock(const struct map_steps *steps, double ns)
{
    const double *other = steps->other_heights;
    double usual = steps->all.base;
    if (ns <= other[0] || steps->all.count == 0)
        return ns * usual / other[0];
    for (size_t k = 0; k < steps->all.count; k++) {
        double rise = steps->all.steps[k].rise;
        if (ns <= other[k + 1])
            return usual + rise * (ns - other[k]) / (other[k + 1] - other[k]);
        usual += rise;
    }
    return ns * usual / other[steps->all.count];
}

double map_steps_ns(const struct map_steps *steps, const struct result *result)
{
    double ns = result_median(result, "latency");
    if (steps->cycle_ns > 0)
        return result_median(result, "latency_cycles") * steps->cycle_ns;
    if (!(steps->clock_ghz > 0) || is_near_clock(result, steps->clock_ghz))
        return ns;
    return is_near_clock(result, steps->other_ghz) ? as_at_usual_clock(steps, ns) : NAN;
}

// Relative width of the middle interval of a metric over the curve; infinite if a point lacks it.
static double width_of(struct arena *arena, const struct level_curve *curve, const char *name)
{
    double *widths = ARENA_ARRAY(arena, curve->count, double);
    for (size_t i = 0; i < curve->count; i++) {
        const struct metric *metric = result_metric(curve->results[i], name);
        if (!metric || !isfinite(metric->ci95[1] - metric->ci95[0]))
            return (double)INFINITY;
        widths[i] = (metric->ci95[1] - metric->ci95[0]) / metric->median;
    }
    return stats_median(widths, curve->count);
}

// Takes cycles for ns if they are known better: then the core clock was not always the same.
static bool choose_cycles(struct arena *arena, struct map_steps *steps)
{
    struct level_curve *curve = &steps->curve;
    double *ratios = ARENA_ARRAY(arena, curve->count, double);
    if (!(2 * width_of(arena, curve, "latency_cycles") < width_of(arena, curve, "latency")))
        return false;
    for (size_t i = 0; i < curve->count; i++)
        ratios[i] = 1 / clock_of(curve->results[i]);
    steps->cycle_ns = stats_median(ratios, curve->count);
    curve->ns = ARENA_ARRAY(arena, curve->count, double);
    for (size_t i = 0; i < curve->count; i++)
        curve->ns[i] = map_steps_ns(steps, curve->results[i]);
    return true;
}

// The clock at which most points ran, and how many did.
static double usual_clock(const struct level_curve *curve, size_t *count)
{
    double usual = 0;
    *count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        size_t near = 0;
        for (size_t j = 0; j < curve->count; j++)
            near += is_near_clock(curve->results[j], clock_of(curve->results[i]));
        if (near <= *count)
            continue;
        *count = near;
        usual = clock_of(curve->results[i]);
    }
    return usual;
}

// Leaves points out that ran at another core clock than most; they are added to `others`.
static void keep_clock(struct arena *arena, struct map_steps *steps, struct level_curve *others)
{
    const struct level_curve all = steps->curve;
    size_t count;
    double clock = usual_clock(&all, &count);
    if (count == 0 || count > all.count * 9 / 10 || count < all.count * 3 / 10)
        return;
    steps->clock_ghz = clock;
    steps->curve = level_curve_empty(arena, all.count);
    steps->curve.metric = all.metric;
    steps->curve.label = all.label;
    for (size_t i = 0; i < all.count; i++)
        level_curve_insert(is_near_clock(all.results[i], clock) ? &steps->curve : others,
                           all.results[i], all.octaves[i], all.ns[i]);
}

// The heights of the levels at the clock at which most of `others` ran, if all levels have some.
static void find_other_heights(struct arena *arena, struct map_steps *steps,
                               const struct level_curve *others)
{
    size_t count;
    double clock = usual_clock(others, &count), *ns = ARENA_ARRAY(arena, others->count + 1, double);
    for (size_t k = 0; k <= steps->all.count; k++) {
        const struct staircase_step *step = &steps->all.steps[k];
        double from = k ? step[-1].end_high + rise_width(steps, step[-1].shape) : -1.0;
        double to = k < steps->all.count ? step->end_low : (double)INFINITY;
        count = 0;
        for (size_t i = 0; i < others->count; i++)
            if (others->octaves[i] > from && others->octaves[i] < to &&
                is_near_clock(others->results[i], clock))
                ns[count++] = others->ns[i];
        if (count == 0)
            return;
        steps->other_heights[k] = stats_median(ns, count);
        if (k > 0 && steps->other_heights[k] <= steps->other_heights[k - 1])
            return;
    }
    steps->other_ghz = clock;
}

// ---------------------------------------------------------------- caches or translation

// A chain with one node in each line.
struct probe {
    double bytes, stride, ns;
};

// What a step is: translation (0), or a cache that holds a node of 416 bytes as if nodes were so
// many bytes apart in the curve. If address bits choose the set, that is the line. If a hash does,
// lines of up to 128 bytes count as 128, since the curve's nodes use as many lines.
static const double hypothesis_line[HYPOTHESES] = {0, 32, 64, DENSE_BYTES, LINES_MAX_BYTES};

static enum map_step_kind kind_of(unsigned hypothesis)
{
    return hypothesis == 0 ? STEP_TRANSLATION : STEP_CACHE;
}

// What step `i` adds to a probe.
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

// [probe][step][hypothesis]: part_of_step
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
        // One wild probe does not decide: plain sets fill unevenly at these strides.
        double off = fabs(probes[i].ns - ns) / (sigma * ns);
        cost += fmin(off * off, COST_MOST);
    }
    return cost;
}

// The next combination of choices; false after the last one.
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
    double best[STAIRCASE_STEPS_MAX][STEP_UNKNOWN]; // the least cost with that kind
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

static bool is_probe(const struct map_steps *steps, const struct result *result)
{
    return result_is_of(result, "map", steps->curve.results[0]->device) &&
           case_says(&result->bench_case, "what", MAP_PROBE) &&
           isfinite(map_steps_ns(steps, result));
}

// The probes of the run with one node in each line, in `arena`.
static size_t probes_of(struct arena *arena, const struct map_steps *steps, const struct run *run,
                        struct probe **probes)
{
    size_t count = 0;
    *probes = ARENA_ARRAY(arena, run->result_count, struct probe);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_probe(steps, result))
            continue;
        double stride = (double)case_uint(&result->bench_case, "pitch");
        if (stride > LINES_MAX_BYTES && stride < PAGE_MIN_BYTES)
            (*probes)[count++] = (struct probe){(double)case_uint(&result->bench_case, "bytes"),
                                                stride, map_steps_ns(steps, result)};
    }
    return count;
}

// ---------------------------------------------------------------- lines and sizes

const double map_steps_regions[] = {0.5,  0.65, 0.77, 0.86, 0.93, 0.98, 1.03,
                                    1.09, 1.17, 1.28, 1.45, 1.7,  2.1};
const size_t map_steps_region_count = sizeof map_steps_regions / sizeof *map_steps_regions;

double map_steps_chain(const struct map_steps *steps, const struct run *run, const char *what,
                       size_t level, const struct lines_chain *chain)
{
    for (size_t i = 0; i < run->result_count && steps->curve.count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "map", steps->curve.results[0]->device) &&
            case_says(&result->bench_case, "what", what) &&
            case_uint(&result->bench_case, "level") == level &&
            case_uint(&result->bench_case, "pitch") == (uint64_t)chain->stride &&
            fabs(log((double)case_uint(&result->bench_case, "bytes") / chain->region)) < 0.02)
            return map_steps_ns(steps, result);
    }
    return NAN;
}

// True if a step that may be translation, or is (`any`), could add to a chain over the region.
static bool may_be_translated(const struct map_steps *steps, double bytes, bool any)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if ((steps->kinds[i] == STEP_UNKNOWN || (any && steps->kinds[i] == STEP_TRANSLATION)) &&
            log2(bytes) > steps->all.steps[i].end - 0.1)
            return true;
    return false;
}

// The line of level k from its probes. `inner` holds the k caches before that level; the level's
// cache is added to `inner`.
static struct lines_answer line_of(struct arena *arena, const struct map_steps *steps,
                                   const struct run *run, size_t k, struct lines_cache *inner)
{
    const struct level_curve *curve = &steps->curve;
    unsigned shape = steps->all.steps[steps->step[k]].shape;
    struct lines_probe *probes = ARENA_ARRAY(arena, lines_plan_count, struct lines_probe);
    struct lines_question question = {
        .caches = inner,
        .level = k,
        .latency = curve->fit.levels[k].height,
        .beyond = curve->fit.levels[k + 1].height,
        .beyond_end = k + 2 < curve->fit.count ? exp2(curve->fit.steps[k + 1].end) : 0,
        .end = exp2(curve->fit.steps[k].end),
        .stride = DENSE_BYTES,
        .noise = root_of_squares(
            curve->fit.noise, step_shape_is_random(shape) || step_shape_is_slow(shape) ? 0.15 : 0),
        .spread = step_shape_spread(shape),
        .probes = probes,
    };
    for (size_t i = 0; i < lines_plan_count; i++) {
        const struct lines_chain chain = {lines_plan[i].region * question.end,
                                          lines_plan[i].stride};
        double ns = map_steps_chain(steps, run, MAP_PROBE, steps->step[k] + 1, &chain) -
                    map_steps_translation(steps, chain.region);
        if (isfinite(ns) && !may_be_translated(steps, chain.region, false))
            probes[question.probe_count++] = (struct lines_probe){chain, ns};
    }
    struct lines_answer answer = lines_judge(&question);
    bool few_ways = question.spread > 0 && question.spread <= 8;
    if (few_ways)
        answer = (struct lines_answer){.why = "its sets fill too unevenly for the probes to tell",
                                       .misfit = answer.misfit};
    answer.sector = answer.line > 0 ? answer.sector : 0;
    inner[k] = lines_cache_of(&question, &answer);
    return answer;
}

// The capacity of level k from chains with a node in each line.
static bool size_of(struct arena *arena, const struct map_steps *steps, const struct run *run,
                    size_t k, struct staircase_step *size)
{
    const struct plateaus *fit = &steps->curve.fit;
    double line = steps->lines[k].line, end = exp2(fit->steps[k].end);
    struct level_curve points = level_curve_empty(arena, run->result_count);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_probe(steps, result) ||
            case_uint(&result->bench_case, "level") != steps->step[k] + 1)
            continue;
        double bytes = (double)case_uint(&result->bench_case, "bytes");
        if ((double)case_uint(&result->bench_case, "pitch") == line && bytes > 0.1 * end &&
            bytes < 2.6 * end)
            level_curve_insert(&points, result, log2(bytes),
                               map_steps_ns(steps, result) - map_steps_translation(steps, bytes));
    }
    const struct staircase_points chosen = {points.octaves, points.ns, points.count, fit->noise};
    return points.count >= map_steps_region_count &&
           staircase_fit_step(steps->shapes, &chosen, fit->levels[k].height,
                              fit->levels[k + 1].height, size);
}

// False if chains through all of the level miss: lines are then shorter than its answer says, so
// that the chain which sized the level left some of it out.
static bool holds_all(const struct map_steps *steps, const struct run *run, size_t k, double size)
{
    const struct plateaus *fit = &steps->curve.fit;
    double low = fit->levels[k].height, high = fit->levels[k + 1].height;
    const struct lines_chain chain = {size, LINES_MIN_BYTES};
    double best = NAN; // the longest chain of 32 bytes that has to fit
    double bytes = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_probe(steps, result) ||
            case_uint(&result->bench_case, "level") != steps->step[k] + 1 ||
            case_uint(&result->bench_case, "pitch") != (uint64_t)chain.stride)
            continue;
        double region = (double)case_uint(&result->bench_case, "bytes");
        if (region > 0.82 * size || region < bytes)
            continue;
        bytes = region;
        best = map_steps_ns(steps, result) - map_steps_translation(steps, region);
    }
    return !isfinite(best) || bytes < 0.3 * size || best < low + 0.4 * (high - low);
}

bool map_steps_near_translation(const struct map_steps *steps, size_t k)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if (steps->kinds[i] != STEP_CACHE &&
            fabs(steps->all.steps[i].end - steps->curve.fit.steps[k].end) < 1)
            return true;
    return false;
}

static void find_lines(struct arena *arena, const struct run *run, struct map_steps *steps)
{
    struct lines_cache inner[PLATEAUS_MAX];
    for (size_t k = 0; k + 1 < steps->curve.fit.count; k++) {
        steps->lines[k] = line_of(arena, steps, run, k, inner);
        double line = steps->lines[k].line;
        if (line == 0 || line == DENSE_BYTES)
            continue;
        steps->sized[k] = size_of(arena, steps, run, k, &steps->sizes[k]);
        if (!steps->sized[k])
            continue;
        double size = exp2(steps->sizes[k].end);
        inner[k].capacity = steps->lines[k].capacity = size;
        if (!holds_all(steps, run, k, size)) {
            steps->lines[k] =
                (struct lines_answer){.why = "chains with a node in each line and "
                                             "in each 32 bytes contradict each other"};
            steps->sized[k] = false;
        }
    }
}

// ---------------------------------------------------------------- sharers

struct map_level map_steps_level(const struct map_steps *steps, size_t k)
{
    struct map_level level = map_level_of(&steps->curve, k);
    level.shapes = steps->shapes;
    level.shape = steps->all.steps[steps->step[k]].shape;
    level.end_low = exp2(steps->curve.fit.steps[k].end_low);
    level.end_high = exp2(steps->curve.fit.steps[k].end_high);
    if (steps->sized[k] && steps->lines[k].line > DENSE_BYTES) {
        level.end_low = fmin(level.end_low, exp2(steps->sizes[k].end_low));
        level.end_high = fmax(level.end_high, exp2(steps->sizes[k].end_high));
    }
    return level;
}

// The latency of a probe of who shares level k, if `inner` cores share the level before; 0 if
// translation may be part of it.
static double neighbours_ns(const struct map_steps *steps, const struct run *run, size_t k,
                            unsigned inner, const struct map_sharers_probe *probe)
{
    const struct lines_chain chain = {probe->region, MAP_NODE_BYTES};
    double ns = map_steps_chain(steps, run, MAP_NEIGHBOURS, k + 1, &chain);
    if (!isfinite(ns))
        return ns;
    // The curve does not show where a level with longer lines ends; and the level before must not
    // hold a part of the region.
    if (step_shape_is_gradual(steps->all.steps[steps->step[k]].shape) ||
        (k > 0 && inner * probe->region < 1.3 * exp2(steps->curve.fit.steps[k - 1].end_high)))
        return 0;
    if (may_be_translated(steps, probe->region, true))
        return 0;
    return ns;
}

struct map_sharers map_steps_sharers(const struct map_steps *steps, const struct run *run, size_t k,
                                     unsigned cores, bool again,
                                     struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                     size_t *count)
{
    const struct map_level level = map_steps_level(steps, k);
    double ns[2 * MAP_SHARERS_MAX];
    unsigned inner = 1;
    if (k > 0)
        inner = map_steps_sharers(steps, run, k - 1, cores, again, probes, count).low;
    *count = map_sharers_plan(&level, cores, map_sharers_most(&level), probes);
    for (size_t i = 0; i < *count; i++)
        ns[i] = neighbours_ns(steps, run, k, inner, &probes[i]);
    struct map_sharers found = map_sharers_judge(&level, probes, ns, *count, cores);
    if (!again)
        return found;
    size_t first = *count;
    *count += map_sharers_plan_again(&level, &found, cores, probes + first);
    for (size_t i = first; i < *count; i++) {
        ns[i] = neighbours_ns(steps, run, k, inner, &probes[i]);
        if (!isfinite(ns[i]))
            return found; // they are not measured yet
    }
    return map_sharers_judge(&level, probes, ns, *count, cores);
}

// ---------------------------------------------------------------- the whole

// Two rises that lie very close together count as one, whose end lies anywhere between them: sets
// that fill unevenly make a cache's rise look like two.
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

// Steps far beyond the largest cache that may be there are translation, if the probes do not say
// otherwise.
static void judge_far_steps(struct map_steps *steps, double cache_most)
{
    for (size_t i = 0; i < steps->all.count; i++)
        if (steps->kinds[i] == STEP_UNKNOWN && exp2(steps->all.steps[i].end_low) > 4 * cache_most)
            steps->kinds[i] = STEP_TRANSLATION;
}

// Ends the levels before the first step that is no cache as far as its probes tell.
static void judge_lines(struct map_steps *steps)
{
    struct plateaus *fit = &steps->curve.fit;
    for (size_t k = 0; k + 1 < fit->flat; k++)
        if (steps->lines[k].misfit) {
            fit->flat = k + 1;
            fit->decided = false;
            fit->reason = "chains with other strides fit no cache there";
        }
}

void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps)
{
    *steps = (struct map_steps){.curve = *curve, .all = steps->all};
    steps->shapes = step_shapes_create(arena);
    steps->curve.fit = (struct plateaus){.reason = "too few sizes"};
    struct level_curve others = level_curve_empty(arena, curve->count);
    if (!choose_cycles(arena, steps))
        keep_clock(arena, steps, &others);
    const struct plateaus_desc points = {
        .x = steps->curve.octaves, .y = steps->curve.ns, .count = steps->curve.count};
    if (steps->all.points != points.count &&
        !staircase_fit(arena, steps->shapes, &points, &curve->fit, &steps->all))
        return;
    merge_close(&steps->all);
    find_other_heights(arena, steps, &others);
    struct probe *probes;
    size_t count = probes_of(arena, steps, run, &probes);
    if (count)
        judge(arena, steps, probes, count);
    judge_far_steps(steps, cache_most);
    make_fit(arena, steps);
    find_lines(arena, run, steps);
    judge_lines(steps);
}
