// SPDX-License-Identifier: MIT
#include "map/writer.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
    DETAILS_MAX = 12,
    // minimum number of chains with one node in each line that can show a level's latency
    SINGLE_LEAST = 3
};

struct result *map_add_result(const struct map_writer *w, const char *what, const char *path,
                              size_t level)
{
    struct arena *arena = w->run->arena;
    size_t count = level ? 3 : 2;
    struct case_value *values = ARENA_ARRAY(arena, 3, struct case_value);
    for (size_t i = 0; i < 3; i++)
        values[i] = case_value_of(&w->info->params[i]);
    values[MAP_PARAM_WHAT].text = what;
    values[MAP_PARAM_PATH].text = arena_strdup(arena, path);
    values[MAP_PARAM_LEVEL].uint = level;
    struct result *result = run_add_result(w->run);
    result->benchmark = w->info->name;
    result->version = w->info->version;
    result->device = w->device->id;
    result->bench_case = (struct bench_case){.values = values, .value_count = count};
    result->key = case_key(arena, w->info->name, &result->bench_case);
    result->metrics = ARENA_ARRAY(arena, MAP_METRIC_COUNT, struct metric);
    result->details = ARENA_ARRAY(arena, DETAILS_MAX, struct named_text);
    return result;
}

void map_add_metric(const struct map_writer *w, struct result *result, enum map_metric which,
                    const struct level_height *value)
{
    if (!isfinite(value->median))
        return;
    const struct metric_info *info = &w->info->metrics[which];
    result->metrics[result->metric_count++] = (struct metric){
        .name = info->name,
        .unit = info->unit,
        .better = info->better,
        .median = value->median,
        .ci95 = {value->ci95[0], value->ci95[1]},
        .n = value->count,
        .limit = NAN,
    };
}

void map_add_plain(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value)
{
    map_add_metric(w, result, which, &(struct level_height){value, {NAN, NAN}, 1});
}

void map_add_detail(struct result *result, const char *name, const char *text)
{
    if (result->detail_count < DETAILS_MAX)
        result->details[result->detail_count++] = (struct named_text){name, text};
}

void map_add_unknown(const struct map_writer *w, struct result *result, const char *name,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(w->scratch, format, args);
    va_end(args);
    map_add_detail(result, name, arena_printf(w->run->arena, "unknown: %s", why));
}

void map_add_known(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value, const char *why)
{
    if (value > 0)
        map_add_plain(w, result, which, value);
    else
        map_add_unknown(w, result, w->info->metrics[which].name, "%s", why);
}

// maximum width of the interval of a flat level's median latency, divided by the median
static const double flat_width = 0.03;

static void add_height(const struct map_writer *w, struct result *result,
                       const struct level_curve *curve, size_t k, enum map_metric which)
{
    const struct level_height height =
        levels_height(w->scratch, curve, k, w->info->metrics[which].name);
    map_add_metric(w, result, which, &height);
}

// Makes the result suspect if more than half of the cases of level k are suspect.
static void flag_suspect_cases(const struct map_writer *w, struct result *result,
                               const struct level_curve *curve, size_t k)
{
    const struct plateau *level = &curve->fit.levels[k];
    size_t count = 0, suspects = 0;
    const struct result *suspect = NULL; // the first suspect case
    for (size_t i = level->first; i <= level->last && i < curve->count; i++, count++)
        if (curve->results[i]->verdict == VERDICT_SUSPECT) {
            suspect = suspect ? suspect : curve->results[i];
            suspects++;
        }
    if (2 * suspects > count)
        result_flag(w->run->arena, result, VERDICT_SUSPECT, suspect->reasons[0].code,
                    "%zu of %zu cases within the level are suspect, such as: %s", suspects, count,
                    suspect->reasons[0].text);
}

void map_add_heights(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k)
{
    add_height(w, result, curve, k, MAP_METRIC_LATENCY);
    add_height(w, result, curve, k, MAP_METRIC_CYCLES);
    flag_suspect_cases(w, result, curve, k);
}

void map_add_fetch_heights(const struct map_writer *w, struct result *result,
                           const struct level_curve *curve, size_t k)
{
    add_height(w, result, curve, k, MAP_METRIC_FETCH);
    add_height(w, result, curve, k, MAP_METRIC_FETCH_CYCLES);
    flag_suspect_cases(w, result, curve, k);
}

static void add_measured(const struct map_writer *w, struct result *result, enum map_metric which,
                         const struct metric *metric)
{
    if (metric)
        map_add_metric(
            w, result, which,
            &(struct level_height){metric->median, {metric->ci95[0], metric->ci95[1]}, metric->n});
}

bool map_add_local_height(const struct map_writer *w, struct result *result, size_t k, double ns)
{
    const struct map_local local = map_level_local(w->scratch, w->caches, w->run, k);
    const struct metric *metric = local.fastest ? result_metric(local.fastest, "latency") : NULL;
    if (!metric || (isfinite(ns) && !local.translated) ||
        !(metric->median < ns * (local.agrees ? 1 : 1 - MAP_STEPS_UNEVEN)))
        return false;
    if (!local.agrees) {
        map_add_unknown(w, result, "latency",
                        "chains that visit few pages at a time are faster, but do not agree");
        return true;
    }
    add_measured(w, result, MAP_METRIC_LATENCY, metric);
    add_measured(w, result, MAP_METRIC_CYCLES, result_metric(local.fastest, "latency_cycles"));
    map_add_detail(result, "latency",
                   "of a chain that visits few pages at a time: in random order, address "
                   "translation adds to it");
    return true;
}

// True if the points of level k of the curve agree, so that the interval of their median is narrow.
static bool is_narrow(const struct map_writer *w, const struct level_curve *curve, size_t k)
{
    struct level_height ns = levels_height(w->scratch, curve, k, "latency");
    struct level_height cycles = levels_height(w->scratch, curve, k, "latency_cycles");
    // If the core clock changed, either the times in ns or the cycles vary.
    return fmin((ns.ci95[1] - ns.ci95[0]) / ns.median,
                (cycles.ci95[1] - cycles.ci95[0]) / cycles.median) <= flat_width;
}

// True if at least SINGLE_LEAST points differ by less than MAP_STEPS_UNEVEN plus the noise.
static bool is_level(const struct map_writer *w, const struct level_curve *points)
{
    double least = (double)INFINITY, most = 0;
    for (size_t i = 0; i < points->count; i++) {
        least = fmin(least, points->ns[i]);
        most = fmax(most, points->ns[i]);
    }
    return points->count >= SINGLE_LEAST &&
           most < least * (1 + MAP_STEPS_UNEVEN + map_steps_noise(w->scratch, &w->caches->steps));
}

void map_add_flat_heights(const struct map_writer *w, struct result *result,
                          const struct level_curve *curve, size_t k)
{
    const struct map_steps *steps = &w->caches->steps;
    const struct level_height ns = levels_height(w->scratch, curve, k, "latency");
    bool is_flat =
        is_narrow(w, curve, k) && map_steps_is_even(w->scratch, steps, k, MAP_STEPS_UNEVEN);
    if (map_add_local_height(w, result, k, is_flat ? ns.median : INFINITY))
        return;
    if (is_flat) {
        map_add_heights(w, result, curve, k);
        return;
    }
    const struct level_curve single = map_steps_single(w->scratch, steps, k);
    if (is_level(w, &single))
        map_add_heights(w, result, &single, 0);
    else
        map_add_unknown(w, result, "latency", "%s",
                        ns.count == 0   ? "no size shows the level alone"
                        : ns.count == 1 ? "only one size shows the level"
                                        : "the curve is not flat there");
}

bool map_is_probe(const struct map_writer *w, const struct result *result, const char *what)
{
    return strcmp(result->benchmark, w->info->name) == 0 &&
           strcmp(result->device, w->device->id) == 0 &&
           case_says(&result->bench_case, "what", what);
}

double map_chain_ns(const struct map_writer *w, const char *what, size_t level, double region,
                    uint64_t stride)
{
    return map_steps_chain(&w->caches->steps, w->run, what, level,
                           &(struct lines_chain){region, (double)stride});
}
