// SPDX-License-Identifier: MIT
#include "map/found.h"

#include <math.h>
#include <string.h>

enum {
    DETAILS_MAX = 12
};

struct result *map_add_result(const struct map_finder *f, const char *what, const char *path,
                              size_t level)
{
    struct arena *arena = f->run->arena;
    struct case_value *values = ARENA_ARRAY(arena, 3, struct case_value);
    values[MAP_PARAM_WHAT].text = what;
    values[MAP_PARAM_PATH].text = arena_strdup(arena, path);
    values[MAP_PARAM_LEVEL].uint = level;
    size_t count = level ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        values[i].key = f->info->params[i].key;
        values[i].type = f->info->params[i].type;
        values[i].role = f->info->params[i].role;
    }
    struct result *result = run_add_result(f->run);
    result->benchmark = f->info->name;
    result->version = f->info->version;
    result->device = f->device->id;
    result->bench_case = (struct bench_case){.values = values, .value_count = count};
    result->key = case_key(arena, f->info->name, &result->bench_case);
    result->metrics = ARENA_ARRAY(arena, MAP_METRIC_COUNT, struct metric);
    result->details = ARENA_ARRAY(arena, DETAILS_MAX, struct named_text);
    return result;
}

void map_add_metric(const struct map_finder *f, struct result *result, enum map_metric which,
                    const struct level_height *value)
{
    if (!isfinite(value->median))
        return;
    const struct metric_info *info = &f->info->metrics[which];
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

void map_add_plain(const struct map_finder *f, struct result *result, enum map_metric which,
                   double value)
{
    map_add_metric(f, result, which, &(struct level_height){value, {NAN, NAN}, 1});
}

void map_add_detail(const struct map_finder *f, struct result *result, const char *name,
                    const char *text)
{
    (void)f;
    if (result->detail_count < DETAILS_MAX)
        result->details[result->detail_count++] = (struct named_text){name, text};
}

void map_add_claim(const struct map_finder *f, struct result *result, uint64_t bytes)
{
    if (bytes)
        map_add_plain(f, result, MAP_METRIC_CLAIM, (double)bytes);
}

void map_add_heights(const struct map_finder *f, struct result *result,
                     const struct level_curve *curve, size_t k)
{
    struct level_height ns = levels_height(f->scratch, curve, k, "latency");
    struct level_height cycles = levels_height(f->scratch, curve, k, "latency_cycles");
    map_add_metric(f, result, MAP_METRIC_LATENCY, &ns);
    map_add_metric(f, result, MAP_METRIC_CYCLES, &cycles);
}

// The latency of the map's own chain `what` with that pitch and about that region; NaN = none.
double map_probe_ns(const struct map_finder *f, const char *what, size_t level, double region,
                    uint64_t pitch)
{
    for (size_t i = 0; i < f->run->result_count; i++) {
        const struct result *probe = f->run->results[i];
        if (strcmp(probe->benchmark, f->info->name) != 0 ||
            strcmp(probe->device, f->device->id) != 0 ||
            strcmp(case_text(&probe->bench_case, "what"), what) != 0 ||
            case_uint(&probe->bench_case, "level") != level ||
            case_uint(&probe->bench_case, "pitch") != pitch ||
            fabs(log((double)case_uint(&probe->bench_case, "bytes") / region)) > 0.02)
            continue;
        const struct metric *metric = result_metric(probe, "latency");
        return metric ? metric->median : NAN;
    }
    return NAN;
}

void map_add_told(const struct map_finder *f, struct result *result, enum map_metric which,
                  double bytes, const char *why)
{
    if (bytes > 0)
        map_add_plain(f, result, which, bytes);
    else
        map_add_detail(f, result, f->info->metrics[which].name,
                       arena_printf(f->run->arena, "unknown: %s", why));
}
