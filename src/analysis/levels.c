// SPDX-License-Identifier: MIT
#include "analysis/levels.h"

#include "base/text.h"
#include "math/stats.h"
#include "results/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct arena *arena; // owns the memory of the points and the curves
    const struct run *run;
    const char *device;
    const struct benchmark_info *benchmark;
    // the headline whose metric is the y of the curves, and whose parameter is their x
    const struct headline_info *headline;
};

// ---------------------------------------------------------------- finding the latency curves

// Finds the first headline of kind HEADLINE_LEVELS whose metric has this unit. Its parameter is a
// working set (PARAM_BYTES) or the number of a level (PARAM_UINT). Returns false if there is none.
static bool find_headline(struct search *search, enum unit unit, enum param_type by)
{
    for (size_t b = 0; b < search->run->benchmark_count; b++) {
        const struct benchmark_info *info = search->benchmark = search->run->benchmarks[b];
        for (size_t h = 0; h < info->headline_count; h++) {
            const struct headline_info *headline = search->headline = &info->headlines[h];
            const struct metric_info *metric = benchmark_metric(info, headline->metric);
            const struct param_info *param = benchmark_param(info, headline->by);
            if (headline->kind == HEADLINE_LEVELS && metric && metric->unit == unit && param &&
                param->type == by)
                return true;
        }
    }
    return false;
}

// Returns the headline's metric; NULL if it is not for this result or has no median above 0.
static const struct metric *reading(const struct search *search, const struct result *result)
{
    if (!result_is_of(result, search->benchmark->name, search->device) ||
        !case_find(&result->bench_case, search->headline->by))
        return NULL;
    const struct metric *metric = result_metric(result, search->headline->metric);
    return metric && isfinite(metric->median) && metric->median > 0 ? metric : NULL;
}

// A case that may become a point of a latency curve.
struct point {
    const struct result *result;
    // parameter that is the curve's x: the only axis in which the cases of a curve differ
    const char *by;
    double octaves, ns;
    size_t place; // index of the case in the run
};

// The cases of one curve. They are neighbours in a sorted array of points.
struct row {
    const struct point *points;
    size_t count;
    size_t place; // index of the curve's earliest case in the run
};

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_places(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_values(const struct case_value *a, const struct case_value *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->type == PARAM_TEXT)
        return strcmp(a->text, b->text);
    if (a->type == PARAM_REAL)
        return isnan(a->real) || isnan(b->real) ? !!isnan(a->real) - !!isnan(b->real)
                                                : order_of(a->real, b->real);
    return (a->uint > b->uint) - (a->uint < b->uint);
}

// Compares the curves of two points: points of one curve differ in no axis but its x (point.by).
static int compare_rows(const struct point *a, const struct point *b)
{
    const struct bench_case *one = &a->result->bench_case, *other = &b->result->bench_case;
    int order = compare_places(one->value_count, other->value_count);
    for (size_t i = 0; i < one->value_count && order == 0; i++) {
        const struct case_value *value = &one->values[i];
        order = strcmp(value->key, other->values[i].key);
        if (order == 0 && value->role == PARAM_AXIS && strcmp(value->key, a->by) != 0)
            order = compare_values(value, &other->values[i]);
    }
    return order;
}

static int compare_points(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    int order = compare_rows(one, other);
    if (order == 0)
        order = order_of(one->octaves, other->octaves);
    return order ? order : compare_places(one->place, other->place);
}

static int compare_first(const void *a, const void *b)
{
    return compare_places(((const struct row *)a)->place, ((const struct row *)b)->place);
}

// Returns the points of all curves of the device, sorted by curve, then by working set.
static struct point *points_of(const struct search *search, size_t *count)
{
    const struct run *run = search->run;
    struct point *points = ARENA_ARRAY(search->arena, run->result_count, struct point);
    const char *by = search->headline->by;
    *count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct metric *metric = reading(search, run->results[i]);
        uint64_t bytes = metric ? case_uint(&run->results[i]->bench_case, by) : 0;
        if (bytes > 0)
            points[(*count)++] = (struct point){.result = run->results[i],
                                                .by = by,
                                                .octaves = log2((double)bytes),
                                                .ns = metric->median,
                                                .place = i};
    }
    qsort(points, *count, sizeof *points, compare_points);
    return points;
}

// Divides the sorted points into curves, in the order of their first cases in the run.
static struct row *rows_of(const struct search *search, const struct point *points, size_t count,
                           size_t *row_count)
{
    struct row *rows = ARENA_ARRAY(search->arena, count, struct row);
    *row_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rows(&points[i - 1], &points[i]) != 0)
            rows[(*row_count)++] = (struct row){.points = &points[i], .place = points[i].place};
        struct row *row = &rows[*row_count - 1];
        row->count++;
        if (points[i].place < row->place)
            row->place = points[i].place;
    }
    qsort(rows, *row_count, sizeof *rows, compare_first);
    return rows;
}

struct level_curve level_curve_empty(struct arena *arena, size_t most)
{
    return (struct level_curve){.results = ARENA_ARRAY(arena, most, const struct result *),
                                .octaves = ARENA_ARRAY(arena, most, double),
                                .ns = ARENA_ARRAY(arena, most, double)};
}

void level_curve_insert(struct level_curve *curve, const struct result *result, double x, double y)
{
    size_t at = curve->count++;
    for (; at > 0 && curve->octaves[at - 1] > x; at--) {
        curve->results[at] = curve->results[at - 1];
        curve->octaves[at] = curve->octaves[at - 1];
        curve->ns[at] = curve->ns[at - 1];
    }
    curve->results[at] = result;
    curve->octaves[at] = x;
    curve->ns[at] = y;
}

static struct level_curve curve_of(const struct search *search, const struct row *row)
{
    struct level_curve curve = level_curve_empty(search->arena, row->count);
    curve.metric = search->headline->metric;
    for (size_t i = 0; i < row->count; i++)
        level_curve_insert(&curve, row->points[i].result, row->points[i].octaves,
                           row->points[i].ns);
    level_curve_fit(search->arena, &curve);
    return curve;
}

static void remove_disturbed(struct level_curve *curve)
{
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (!result_disturbed(curve->results[i])) {
            curve->results[kept] = curve->results[i];
            curve->octaves[kept] = curve->octaves[i];
            curve->ns[kept++] = curve->ns[i];
        }
    curve->count = kept;
}

void level_curve_fit(struct arena *arena, struct level_curve *curve)
{
    size_t disturbed = 0;
    for (size_t i = 0; i < curve->count; i++)
        disturbed += result_disturbed(curve->results[i]);
    curve->disturbed = disturbed > 0 && 2 * disturbed >= curve->count;
    if (curve->disturbed) {
        curve->fit = (struct plateaus){.reason = "other work disturbed most sizes"};
        return;
    }
    remove_disturbed(curve);
    levels_fit(arena, curve->octaves, curve->ns, curve->count, &curve->fit);
}

void levels_fit(struct arena *arena, const double *octaves, const double *latency, size_t count,
                struct plateaus *fit)
{
    const struct plateaus_desc desc = {.x = octaves,
                                       .y = latency,
                                       .count = count,
                                       .ratio_min = 1.12,
                                       .ramp_max = 0.75,
                                       .length_min = 0.25,
                                       .noise_min = 0.002};
    if (count < LEVELS_POINTS_MIN)
        *fit = (struct plateaus){.decided = false, .reason = "too few sizes"};
    else
        plateaus_fit(arena, &desc, fit);
}

// ---------------------------------------------------------------- labels of curves

static bool text_differs(const struct level_curve *a, const struct level_curve *b, const char *key)
{
    const struct case_value *one = case_find(&a->results[0]->bench_case, key);
    const struct case_value *other = case_find(&b->results[0]->bench_case, key);
    return one && other && one->text && other->text && strcmp(one->text, other->text) != 0;
}

// Returns true if the value is a text of an axis, and the curves differ in it.
static bool separates(const struct level_curves *curves, const struct case_value *value)
{
    if (value->type != PARAM_TEXT || value->role != PARAM_AXIS)
        return false;
    for (size_t i = 1; i < curves->count; i++)
        if (text_differs(&curves->curves[0], &curves->curves[i], value->key))
            return true;
    return false;
}

// Returns the text values by which this curve differs from the others, such as "texel", or "".
static const char *label_of(struct arena *arena, const struct level_curves *curves,
                            const struct level_curve *curve)
{
    const char *label = "";
    const struct bench_case *bench_case = &curve->results[0]->bench_case;
    for (size_t i = 0; i < bench_case->value_count; i++)
        if (separates(curves, &bench_case->values[i]))
            label = text_join(arena, label, " ", bench_case->values[i].text);
    return label;
}

struct level_curves levels_of(struct arena *arena, const struct run *run, const char *device)
{
    struct search search = {.arena = arena, .run = run, .device = device};
    struct level_curves all = {.count = 0};
    if (!find_headline(&search, UNIT_NS, PARAM_BYTES))
        return all;
    size_t count;
    const struct point *points = points_of(&search, &count);
    const struct row *rows = rows_of(&search, points, count, &all.count);
    all.curves = ARENA_ARRAY(arena, all.count, struct level_curve);
    for (size_t i = 0; i < all.count; i++) {
        all.curves[i] = curve_of(&search, &rows[i]);
        if (all.curves[i].count > all.curves[all.longest].count)
            all.longest = i;
    }
    for (size_t i = 0; i < all.count; i++)
        all.curves[i].label = label_of(arena, &all, &all.curves[i]);
    return all;
}

struct level_curve levels_longest(struct arena *arena, const struct run *run, const char *device)
{
    struct search search = {.arena = arena, .run = run, .device = device};
    if (!find_headline(&search, UNIT_NS, PARAM_BYTES))
        return (struct level_curve){.count = 0};
    size_t count, row_count, longest = 0;
    const struct point *points = points_of(&search, &count);
    const struct row *rows = rows_of(&search, points, count, &row_count);
    for (size_t i = 1; i < row_count; i++)
        if (rows[i].count > rows[longest].count)
            longest = i;
    return row_count ? curve_of(&search, &rows[longest]) : (struct level_curve){.count = 0};
}

// ---------------------------------------------------------------- levels of a curve

size_t levels_count(const struct level_curve *curve)
{
    return curve->fit.decided ? curve->fit.count : curve->fit.flat;
}

double levels_end(const struct level_curve *curve, size_t k)
{
    return exp2(curve->fit.steps[k].end);
}

double levels_memory(const struct level_curve *curve)
{
    size_t count = levels_count(curve);
    if (count < 2 || !curve->fit.decided)
        return INFINITY;
    double from = 4 * levels_end(curve, count - 2);
    return exp2(curve->octaves[curve->count - 1]) >= from ? from : INFINITY;
}

// Returns true if level k is the near half of a cache. `ends` holds the ends of all levels.
static bool is_near_half(const double *ends, size_t count, size_t k)
{
    double ratio = k > 0 && k + 1 < count ? ends[k + 1] / ends[k] : 0;
    return ratio > 1.7 && ratio < 2.4;
}

const char *levels_cache_name(struct arena *arena, const double *ends, size_t count, size_t k)
{
    size_t number = 1;
    for (size_t i = 1; i <= k; i++)
        number += !is_near_half(ends, count, i - 1);
    bool far = k > 0 && is_near_half(ends, count, k - 1);
    const char *half = far ? "far " : is_near_half(ends, count, k) ? "near " : "";
    return arena_printf(arena, "%sL%zu", half, number);
}

const char *levels_name(struct arena *arena, const struct level_curve *curve, size_t k)
{
    double ends[PLATEAUS_MAX] = {0};
    size_t count = levels_count(curve);
    if (k + 1 == count && isfinite(levels_memory(curve)))
        return "DRAM";
    for (size_t i = 0; i + 1 < count; i++)
        ends[i] = levels_end(curve, i);
    return levels_cache_name(arena, ends, count - 1, k);
}

// Returns the values of the metric at the points of level k. Adds their number to *count.
static double *level_values(struct arena *arena, const struct level_curve *curve, size_t k,
                            const char *metric, size_t *count)
{
    double *values = ARENA_ARRAY(arena, curve->count, double);
    const struct plateau *level = &curve->fit.levels[k];
    for (size_t i = level->first; i <= level->last; i++) {
        const struct metric *found = result_metric(curve->results[i], metric);
        if (found && isfinite(found->median))
            values[(*count)++] = found->median;
    }
    return values;
}

struct level_height levels_height(struct arena *arena, const struct level_curve *curve, size_t k,
                                  const char *metric)
{
    size_t count = 0;
    double *values = level_values(arena, curve, k, metric, &count);
    if (count == 0)
        return (struct level_height){NAN, {NAN, NAN}, 0};
    struct interval interval = interval_of_median(values, count, 0.95);
    return (struct level_height){interval.median, {interval.low, interval.high}, count};
}

double levels_spread(struct arena *arena, const struct level_curve *curve, size_t k,
                     const char *metric)
{
    size_t count = 0;
    double *values = level_values(arena, curve, k, metric, &count);
    double spread = stats_spread(values, count);
    return spread / stats_quantile(values, count, 0.5);
}

double levels_cycles(struct arena *arena, const struct run *run, const struct level_curve *curve,
                     size_t k)
{
    const struct benchmark_info *info = run_benchmark(run, curve->results[0]->benchmark);
    return levels_height(arena, curve, k, benchmark_cycles(info, curve->metric)).median;
}

size_t levels_mapped(const struct run *run, const char *device, const struct metric **sizes,
                     size_t most)
{
    struct search search = {.run = run, .device = device};
    bool found = find_headline(&search, UNIT_BYTE, PARAM_UINT);
    size_t count = 0;
    for (size_t k = 0; k < most; k++)
        sizes[k] = NULL;
    for (size_t i = 0; found && i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, search.benchmark->name, device) ||
            !case_matches(&result->bench_case, search.headline->where))
            continue;
        const struct case_value *number = case_find(&result->bench_case, search.headline->by);
        uint64_t level = number ? number->uint : 0;
        if (level < 1 || level > most)
            continue;
        sizes[level - 1] = reading(&search, result);
        if (level > count)
            count = (size_t)level;
    }
    return count;
}
