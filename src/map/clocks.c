// SPDX-License-Identifier: MIT
#include "map/clocks.h"

#include "bench/values.h"
#include "map/judge.h"
#include "map/map.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32,
    CLOCKS_MAX = 16, // that may be asked for
    MHZ_MAX = 100000
};

// ---------------------------------------------------------------- the clocks asked for

static bool read_list(struct arena *arena, const struct setting *setting, const double **hz,
                      size_t *count, struct error *err)
{
    const struct param_info *param = &benchmark_find("map")->info.params[MAP_PARAM_CLOCK];
    struct value_list list = {0};
    if (!values_parse(arena, param, setting->values, &list, err))
        return error_prefix(err, "--set %s", setting->text);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < list.count; i++) {
        least = list.values[i].uint < least ? list.values[i].uint : least;
        most = list.values[i].uint > most ? list.values[i].uint : most;
    }
    if (least == 0 || most > MHZ_MAX || list.count > CLOCKS_MAX)
        return error_set(err, ERROR_USAGE, "--set %s: expected up to %d clocks, 1 to %d MHz",
                         setting->text, CLOCKS_MAX, MHZ_MAX);
    if ((double)most < MAP_CLOCKS_APART * (double)least)
        return error_set(err, ERROR_USAGE,
                         "--set %s: expected clocks at least 5 %% apart: closer ones tell nothing, "
                         "as in clock=1200,1500,1980",
                         setting->text);
    double *values = ARENA_ARRAY(arena, list.count, double);
    for (size_t i = 0; i < list.count; i++)
        values[i] = (double)list.values[i].uint * 1e6;
    *hz = values;
    *count = list.count;
    return true;
}

bool map_read_clocks(struct arena *arena, const struct choice_request *request, const double **hz,
                     size_t *count, struct error *err)
{
    for (size_t i = 0; i < request->setting_count; i++) {
        const struct setting *setting = &request->settings[i];
        if (strcmp(setting->key, "clock") != 0 ||
            (setting->benchmark && strcmp(setting->benchmark, "map") != 0))
            return error_set(err, ERROR_USAGE,
                             "--set %s: `fathom map` chooses for itself what it measures; "
                             "clock=LIST (in MHz) is all that it takes",
                             setting->text);
        if (!read_list(arena, setting, hz, count, err))
            return false;
    }
    return true;
}

bool map_settings_check(struct arena *arena, const struct choice_request *request,
                        struct error *err)
{
    const double *hz;
    size_t count;
    return map_read_clocks(arena, request, &hz, &count, err);
}

// ---------------------------------------------------------------- the probes

size_t map_clocks_plan(const struct level_curve *curve,
                       struct map_clocks_probe probes[MAP_CLOCKS_PROBES])
{
    const struct plateaus *fit = &curve->fit;
    size_t count = 0;
    for (size_t k = 0; k < fit->flat && (k + 1 < fit->flat || fit->decided); k++) {
        // The first points may still be on the way up, and the last are the longest chains.
        const struct plateau *level = &fit->levels[k];
        size_t span = level->last - level->first,
               at[] = {level->first + span / 3, level->first + span * 2 / 3};
        for (size_t i = 0; i < 2 && (i == 0 || at[1] > at[0]); i++)
            probes[count++] = (struct map_clocks_probe){k + 1, exp2(curve->octaves[at[i]]) + 0.5};
    }
    return count;
}

static double clock_of(const struct result *result)
{
    for (size_t i = 0; i < result->sensor_count; i++)
        if (strcmp(result->sensors[i].name, "core_clock") == 0)
            return result->sensors[i].value;
    return NAN;
}

// Latencies and the clocks that were seen with them.
struct points {
    double *ns, *hz;
    size_t count;
    const char *text; // "asked for 1.2 GHz, seen 1.201 GHz; …"; "": no clock was asked for
};

static struct points no_points(const struct map_finder *f)
{
    size_t most = f->run->result_count; // every point is a result's
    return (struct points){.ns = ARENA_ARRAY(f->scratch, most, double),
                           .hz = ARENA_ARRAY(f->scratch, most, double),
                           .text = ""};
}

static void add_point(struct points *points, double ns, double hz)
{
    points->ns[points->count] = ns;
    points->hz[points->count++] = hz;
}

static const char *hz_text(struct arena *arena, double hz)
{
    char text[UNIT_TEXT];
    return arena_strdup(arena, unit_format(hz, UNIT_HZ, text, sizeof text));
}

static bool is_clock_probe(const struct map_finder *f, const struct result *result)
{
    return strcmp(result->benchmark, f->info->name) == 0 &&
           strcmp(result->device, f->device->id) == 0 &&
           strcmp(case_text(&result->bench_case, "what"), MAP_CLOCKS) == 0;
}

// Whether a probe of the level before that one was asked for the same clock.
static bool is_repeated(const struct map_finder *f, size_t probe)
{
    const struct bench_case *bench_case = &f->run->results[probe]->bench_case;
    for (size_t i = 0; i < probe; i++)
        if (is_clock_probe(f, f->run->results[i]) &&
            case_uint(&f->run->results[i]->bench_case, "level") == case_uint(bench_case, "level") &&
            case_uint(&f->run->results[i]->bench_case, "clock") == case_uint(bench_case, "clock"))
            return true;
    return false;
}

static struct points asked_points(const struct map_finder *f, size_t level)
{
    struct points points = no_points(f);
    for (size_t i = 0; i < f->run->result_count; i++) {
        const struct result *probe = f->run->results[i];
        if (!is_clock_probe(f, probe) || case_uint(&probe->bench_case, "level") != level)
            continue;
        const struct metric *metric = result_metric(probe, "latency");
        double seen_hz = clock_of(probe);
        if (metric && probe->verdict <= VERDICT_SUSPECT)
            add_point(&points, metric->median, seen_hz);
        if (!is_repeated(f, i))
            points.text = arena_printf(
                f->run->arena, "%s%sasked for %s, seen %s", points.text, *points.text ? "; " : "",
                hz_text(f->scratch, (double)case_uint(&probe->bench_case, "clock")),
                isfinite(seen_hz) ? hz_text(f->scratch, seen_hz) : "none");
    }
    return points;
}

// What the cases of the curve happened to see.
static struct points seen_points(const struct map_finder *f, const struct level_curve *curve,
                                 const struct plateau *level)
{
    struct points points = no_points(f);
    for (size_t i = level->first; i <= level->last; i++)
        add_point(&points, curve->ns[i], clock_of(curve->results[i]));
    return points;
}

static void add_part(const struct map_finder *f, struct result *result, enum map_metric which,
                     double value, double half, size_t count)
{
    map_add_metric(f, result, which,
                   &(struct level_height){value, {value - half, value + half}, count});
}

void map_add_clock(const struct map_finder *f, struct result *result,
                   const struct level_curve *curve, size_t k)
{
    struct points points = asked_points(f, k + 1);
    if (*points.text)
        map_add_detail(f, result, "clocks", points.text);
    else
        points = seen_points(f, curve, &curve->fit.levels[k]);
    struct map_clocks clocks;
    const char *why;
    if (!map_clocks_judge(points.ns, points.hz, points.count, &clocks, &why)) {
        map_add_detail(f, result, "clock domain", arena_printf(f->run->arena, "unknown: %s", why));
        return;
    }
    add_part(f, result, MAP_METRIC_FIXED, clocks.fixed_ns, clocks.fixed_half, points.count);
    add_part(f, result, MAP_METRIC_CLOCKED, clocks.cycles, clocks.cycles_half, points.count);
    map_add_detail(f, result, "clock domain", clocks.domain);
}

// Whether a probe before this one missed the same clock.
static bool is_told(const struct map_finder *f, size_t probe)
{
    uint64_t asked = case_uint(&f->run->results[probe]->bench_case, "clock");
    for (size_t i = 0; i < probe; i++)
        if (is_clock_probe(f, f->run->results[i]) &&
            case_uint(&f->run->results[i]->bench_case, "clock") == asked &&
            fabs(clock_of(f->run->results[i]) / (double)asked - 1) > MAP_CLOCKS_NEAR)
            return true;
    return false;
}

void map_add_unreached_clocks(const struct map_finder *f)
{
    for (size_t i = 0; i < f->run->result_count; i++) {
        const struct result *probe = f->run->results[i];
        if (!is_clock_probe(f, probe))
            continue;
        double asked_hz = (double)case_uint(&probe->bench_case, "clock"), seen_hz = clock_of(probe);
        if (!(fabs(seen_hz / asked_hz - 1) > MAP_CLOCKS_NEAR) || is_told(f, i))
            continue;
        struct finding *finding = run_add_finding(f->run);
        finding->code = "clock-not-reached";
        finding->device = f->device->id;
        finding->value = seen_hz;
        finding->text = arena_printf(
            f->run->arena,
            "%s: a core clock of %s was asked for, and %s was seen: what was seen is what counts",
            f->device->id, hz_text(f->scratch, asked_hz), hz_text(f->scratch, seen_hz));
    }
}
