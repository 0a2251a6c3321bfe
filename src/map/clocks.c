// SPDX-License-Identifier: MIT

#include "bench/values.h"
#include "map/judge.h"
#include "map/map.h"
#include "map/parts.h"
#include "measure/pace.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32,
    CLOCKS_MAX = 16, // maximum number of clocks in clock=LIST
    MHZ_MAX = 100000
};

// A requested core clock counts as reached if the actual clock differs by at most this share.
static const double near = 0.02;

// ---------------------------------------------------------------- the clocks asked for

static bool read_list(struct arena *arena, const struct setting *setting, const double **hz,
                      size_t *count, struct error *err)
{
    const struct param_info *param = &benchmark_find("map")->info.params[MAP_PARAM_CLOCK];
    struct value_list list = {0};
    if (!values_parse(arena, param, setting->values, &list, err))
        return error_set(err, err->code, "--set %s", arena_strdup(arena, err->message));
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
                         "--set %s: expected clocks at least 5 %% apart, "
                         "as in clock=1200,1500,1980",
                         setting->text);
    double *values = ARENA_ARRAY(arena, list.count, double);
    for (size_t i = 0; i < list.count; i++)
        values[i] = (double)list.values[i].uint * 1e6;
    *hz = values;
    *count = list.count;
    return true;
}

bool map_clocks_read(struct arena *arena, const struct choice_request *request, const double **hz,
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
    return map_clocks_read(arena, request, &hz, &count, err);
}

// ---------------------------------------------------------------- the probes

// True if the curve has points that show this level (map_steps.curve).
static bool has_points(const struct plateau *level)
{
    return level->first <= level->last;
}

void map_clocks_add_cases(const struct map_look *look)
{
    const struct level_curve *curve = &look->caches->steps.curve;
    const struct plateaus *fit = &curve->fit;
    size_t count = look->clock_count;
    for (size_t k = 0; k < fit->flat && (k + 1 < fit->flat || fit->decided); k++) {
        // Takes two points from the middle of the level's flat part. The first points of a flat
        // part may lie on the rise before it, and the last points have the longest chains.
        const struct plateau *level = &fit->levels[k];
        if (!has_points(level))
            continue;
        size_t span = level->last - level->first,
               at[] = {level->first + span / 3, level->first + span * 2 / 3};
        for (size_t i = 0; i < (at[1] > at[0] ? 2 : 1) * count; i++)
            map_cases_add_chain(
                look->cases, &(struct map_chain){.what = MAP_CLOCKS,
                                                 .level = k + 1,
                                                 .bytes = exp2(curve->octaves[at[i / count]]) + 0.5,
                                                 .stride = MAP_NODE_BYTES,
                                                 .clock_hz = look->clocks_hz[i % count]});
    }
}

// ---------------------------------------------------------------- results

static double clock_of(const struct result *result)
{
    const struct named_number *clock = result_sensor(result, "core_clock");
    return clock ? clock->value : NAN;
}

// Latencies in ns of one level, each with the core clock in Hz at which it was measured.
struct points {
    double *ns, *hz;
    size_t count;
    // Each clock that the user requested: "asked for 1.2 GHz, ran at 1.201 GHz; …"; "" if none.
    const char *text;
};

static struct points no_points(const struct map_writer *w)
{
    size_t most = w->run->result_count;
    return (struct points){.ns = ARENA_ARRAY(w->scratch, most, double),
                           .hz = ARENA_ARRAY(w->scratch, most, double),
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

// True if an earlier probe of this level asked for the same clock. Then points.text already has
// this clock.
static bool is_repeated(const struct map_writer *w, size_t probe)
{
    const struct bench_case *bench_case = &w->run->results[probe]->bench_case;
    for (size_t i = 0; i < probe; i++)
        if (map_is_probe(w, w->run->results[i], MAP_CLOCKS) &&
            case_uint(&w->run->results[i]->bench_case, "level") == case_uint(bench_case, "level") &&
            case_uint(&w->run->results[i]->bench_case, "clock") == case_uint(bench_case, "clock"))
            return true;
    return false;
}

// Returns a level's latencies at the requested core clocks, each with the clock that was reached.
static struct points asked_points(const struct map_writer *w, size_t level)
{
    struct points points = no_points(w);
    for (size_t i = 0; i < w->run->result_count; i++) {
        const struct result *probe = w->run->results[i];
        if (!map_is_probe(w, probe, MAP_CLOCKS) || case_uint(&probe->bench_case, "level") != level)
            continue;
        const struct metric *metric = result_metric(probe, "latency");
        double seen_hz = clock_of(probe);
        if (metric && result_measured(probe))
            add_point(&points, metric->median, seen_hz);
        if (!is_repeated(w, i))
            points.text = arena_printf(
                w->run->arena, "%s%sasked for %s, ran at %s", points.text, *points.text ? "; " : "",
                hz_text(w->scratch, (double)case_uint(&probe->bench_case, "clock")),
                isfinite(seen_hz) ? hz_text(w->scratch, seen_hz) : "an unknown clock");
    }
    return points;
}

// Returns the latencies of level k from the cases of the curve, each with its core clock. The curve
// must have points of the level, because the level's regions are unknown otherwise.
static struct points seen_points(const struct map_writer *w, const struct plateaus *fit, size_t k)
{
    struct points points = no_points(w);
    const struct plateau *level = &fit->levels[k];
    double to = fmax(level->x_last, k + 1 < fit->count ? fit->steps[k].end_low : 0);
    for (size_t i = 0; i < w->run->result_count; i++) {
        const struct result *load = w->run->results[i];
        const struct bench_case *bench_case = &load->bench_case;
        if (!result_is_of(load, "latency", w->device->id) ||
            !case_says(bench_case, "path", "vector") || !case_says(bench_case, "order", "random"))
            continue;
        double x = log2((double)case_uint(bench_case, "bytes"));
        if (x >= level->x_first && x <= to)
            add_point(&points, result_median(load, "latency"), clock_of(load));
    }
    return points;
}

static void add_part(const struct map_writer *w, struct result *result, enum map_metric which,
                     double value, double half, size_t count)
{
    map_add_metric(w, result, which,
                   &(struct level_height){value, {value - half, value + half}, count});
}

// Returns the highest core clock in Hz: the clock that the driver or data sheet states, or the
// highest clock of the device's results if it is higher by more than PACE_STATED_MARGIN; 0 if
// neither is known.
static double highest_clock(const struct map_writer *w)
{
    const double stated_hz = w->limits.core_clock_hz;
    double highest_hz = stated_hz;
    for (size_t i = 0; i < w->run->result_count; i++) {
        double hz = clock_of(w->run->results[i]);
        if (strcmp(w->run->results[i]->device, w->device->id) == 0 &&
            hz > stated_hz * (1 + PACE_STATED_MARGIN))
            highest_hz = fmax(highest_hz, hz);
    }
    return highest_hz;
}

// Returns the core clock in Hz at which a conclusion's latency was measured: its cycles divided by
// its time. NaN if it has no cycles.
static double latency_clock(const struct map_writer *w, const struct result *result)
{
    for (size_t i = 0; i < w->info->metric_count; i++) {
        const struct metric_info *cycles = &w->info->metrics[i];
        if (cycles->cycles_of && result_metric(result, cycles->name))
            return result_median(result, cycles->name) / result_median(result, cycles->cycles_of) *
                   1e9;
    }
    return NAN;
}

void map_remark_low_clocks(const struct map_writer *w, size_t first)
{
    double highest_hz = highest_clock(w);
    for (size_t i = first; i < w->run->result_count; i++) {
        struct result *result = w->run->results[i];
        double hz = latency_clock(w, result);
        if (pace_is_lower(hz, highest_hz, 0))
            result_flag(w->run->arena, result, VERDICT_OK, "low-clock",
                        "the latency was measured at %.2f GHz; the core clock is up to %.2f GHz",
                        hz / 1e9, highest_hz / 1e9);
    }
}

void map_add_clock(const struct map_writer *w, struct result *result,
                   const struct level_curve *curve, size_t k)
{
    struct points points = asked_points(w, k + 1);
    bool was_asked = *points.text, is_seen = has_points(&curve->fit.levels[k]);
    if (was_asked)
        map_add_detail(result, "clocks", points.text);
    else if (is_seen)
        points = seen_points(w, &curve->fit, k);
    struct map_clocks clocks;
    const char *why;
    if (!map_clocks_judge(points.ns, points.hz, points.count, &clocks, &why)) {
        map_add_unknown(w, result, "clock domain", "%s",
                        was_asked || is_seen ? why : "no size shows the level alone");
        return;
    }
    add_part(w, result, MAP_METRIC_FIXED, clocks.fixed_ns, clocks.fixed_half, points.count);
    add_part(w, result, MAP_METRIC_CLOCKED, clocks.cycles, clocks.cycles_half, points.count);
    map_add_detail(result, "clock domain", clocks.domain);
}

// True if an earlier probe asked for the same clock and missed it: the run already has the finding.
static bool is_reported(const struct map_writer *w, size_t probe)
{
    uint64_t asked = case_uint(&w->run->results[probe]->bench_case, "clock");
    for (size_t i = 0; i < probe; i++)
        if (map_is_probe(w, w->run->results[i], MAP_CLOCKS) &&
            case_uint(&w->run->results[i]->bench_case, "clock") == asked &&
            fabs(clock_of(w->run->results[i]) / (double)asked - 1) > near)
            return true;
    return false;
}

void map_add_unreached_clocks(const struct map_writer *w)
{
    for (size_t i = 0; i < w->run->result_count; i++) {
        const struct result *probe = w->run->results[i];
        if (!map_is_probe(w, probe, MAP_CLOCKS))
            continue;
        double asked_hz = (double)case_uint(&probe->bench_case, "clock"), seen_hz = clock_of(probe);
        if (!(fabs(seen_hz / asked_hz - 1) > near) || is_reported(w, i))
            continue;
        struct finding *finding = run_add_finding(w->run);
        finding->code = "clock-not-reached";
        finding->device = w->device->id;
        finding->value = seen_hz;
        finding->text = arena_printf(w->run->arena,
                                     "%s: a core clock of %s was asked for, but the device ran at "
                                     "%s: the results use that clock",
                                     w->device->id, hz_text(w->scratch, asked_hz),
                                     hz_text(w->scratch, seen_hz));
    }
}
