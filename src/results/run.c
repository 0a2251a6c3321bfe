// SPDX-License-Identifier: MIT
#include "results/reasons.h"
#include "results/results.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

struct run *run_create(void)
{
    struct arena *arena = arena_create();
    struct run *run = ARENA_NEW(arena, struct run);
    run->arena = arena;
    return run;
}

void run_destroy(struct run *run)
{
    if (run)
        arena_destroy(run->arena); // this also frees the struct run, which is in the arena
}

struct result *run_add_result(struct run *run)
{
    run->results = arena_grow(run->arena, run->results, run->result_count, &run->result_capacity,
                              sizeof *run->results);
    struct result *result = ARENA_NEW(run->arena, struct result);
    result->kernel = (struct kernel_info){.registers = NAN, .spill_bytes = NAN, .loads = NAN};
    return run->results[run->result_count++] = result;
}

struct run_device *run_add_device(struct run *run)
{
    run->devices = arena_grow(run->arena, run->devices, run->device_count, &run->device_capacity,
                              sizeof *run->devices);
    return &run->devices[run->device_count++];
}

const struct run_device *run_find_device(const struct run *run, const char *id)
{
    for (size_t i = 0; id && i < run->device_count; i++)
        if (strcmp(run->devices[i].id, id) == 0)
            return &run->devices[i];
    return NULL;
}

double run_device_limit(const struct run_device *device, const char *name)
{
    for (size_t i = 0; i < device->limit_count; i++)
        if (strcmp(device->limits[i].name, name) == 0)
            return device->limits[i].value;
    return NAN;
}

struct finding *run_add_finding(struct run *run)
{
    run->findings = arena_grow(run->arena, run->findings, run->finding_count,
                               &run->finding_capacity, sizeof *run->findings);
    struct finding *finding = &run->findings[run->finding_count++];
    finding->value = NAN;
    return finding;
}

void run_add_note(struct run *run, const char *code, const char *device, const char *text)
{
    struct finding *finding = run_add_finding(run);
    finding->code = code;
    finding->device = device;
    finding->text = text;
}

void run_add_conclusion(struct run *run, const char *code, double value, const struct result *first,
                        const struct result *second, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(run->arena, format, args);
    va_end(args);
    struct finding *finding = run_add_finding(run);
    finding->code = code;
    finding->value = value;
    finding->device = first->device;
    bool disturbed = result_disturbed(first) || (second && result_disturbed(second));
    finding->text = arena_printf(run->arena, "%s: %s%s", first->device, text,
                                 disturbed ? "; but other work disturbed this" : "");
    finding->keys = ARENA_ARRAY(run->arena, 2, const char *);
    finding->keys[finding->key_count++] = first->key;
    if (second)
        finding->keys[finding->key_count++] = second->key;
}

void run_add_benchmark(struct run *run, const struct benchmark_info *info)
{
    run->benchmarks = arena_grow(run->arena, run->benchmarks, run->benchmark_count,
                                 &run->benchmark_capacity, sizeof *run->benchmarks);
    run->benchmarks[run->benchmark_count++] = info;
}

struct run_counts run_count(const struct run *run, const char *device, const char *benchmark)
{
    struct run_counts counts = {{0}, 0, 0};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if ((device && strcmp(result->device, device) != 0) ||
            (benchmark && strcmp(result->benchmark, benchmark) != 0))
            continue;
        counts.of[result->verdict]++;
        counts.measured += result_measured(result);
        counts.all++;
    }
    return counts;
}

const struct result *run_find(const struct run *run, const char *device, const char *key)
{
    for (size_t i = run->result_count; i-- > 0;) {
        const struct result *result = run->results[i];
        if (strcmp(result->key, key) == 0 && strcmp(result->device, device) == 0)
            return result;
    }
    return NULL;
}

const struct benchmark_info *run_benchmark(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->benchmark_count; i++)
        if (strcmp(run->benchmarks[i]->name, name) == 0)
            return run->benchmarks[i];
    return NULL;
}

const struct metric *result_metric(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (strcmp(result->metrics[i].name, name) == 0)
            return &result->metrics[i];
    return NULL;
}

const struct series *result_series(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (strcmp(result->series[i].name, name) == 0)
            return &result->series[i];
    return NULL;
}

const char *result_detail(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->detail_count; i++)
        if (strcmp(result->details[i].name, name) == 0)
            return result->details[i].text;
    return NULL;
}

const struct named_number *result_sensor(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->sensor_count; i++)
        if (strcmp(result->sensors[i].name, name) == 0)
            return &result->sensors[i];
    return NULL;
}

enum unit metric_unit_shown(const struct metric *metric)
{
    return metric->floating && metric->unit == UNIT_OP_PER_S ? UNIT_FLOP_PER_S : metric->unit;
}

double better_ratio(enum better better, double value, double other)
{
    return better == BETTER_LOWER ? other / value : value / other;
}

double metric_share(const struct metric *metric, double value)
{
    if (!isfinite(metric->limit) || metric->limit == 0)
        return NAN;
    return better_ratio(metric->better, value, metric->limit);
}

double result_median(const struct result *result, const char *metric)
{
    const struct metric *found = result_metric(result, metric);
    return found ? found->median : NAN;
}

void result_mark_floating(const struct benchmark_info *info, struct result *result)
{
    for (size_t i = 0; i < result->metric_count; i++) {
        const struct metric_info *declared = benchmark_metric(info, result->metrics[i].name);
        if (declared && declared->floating)
            result->metrics[i].floating = case_matches(&result->bench_case, declared->floating);
    }
}

bool result_measured(const struct result *result)
{
    return result->verdict <= VERDICT_SUSPECT;
}

bool result_is_of(const struct result *result, const char *benchmark, const char *device)
{
    return result_measured(result) && strcmp(result->benchmark, benchmark) == 0 &&
           strcmp(result->device, device) == 0;
}

const char *result_value(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->bench_case, key);
    return value && value->text ? value->text : "";
}

const struct reason *result_reason(const struct result *result, const char *code)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, code) == 0)
            return &result->reasons[i];
    return NULL;
}

bool result_disturbed(const struct result *result)
{
    return result->verdict == VERDICT_SUSPECT && result_reason(result, REASON_SHARED_DEVICE);
}

bool result_has_reason(const struct result *result, const char *code, const char *text)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, code) == 0 &&
            strcmp(result->reasons[i].text, text) == 0)
            return true;
    return false;
}

void result_flag(struct arena *arena, struct result *result, enum verdict verdict, const char *code,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(arena, format, args);
    va_end(args);
    bool is_worse = verdict > result->verdict;
    if (is_worse)
        result->verdict = verdict;
    if (result_has_reason(result, code, text))
        return;
    // The array's capacity is not known, so each call copies it; a result has few reasons.
    struct reason *reasons = ARENA_ARRAY(arena, result->reason_count + 1, struct reason);
    if (result->reason_count)
        memcpy(reasons + is_worse, result->reasons, result->reason_count * sizeof *reasons);
    reasons[is_worse ? 0 : result->reason_count] =
        (struct reason){.code = arena_strdup(arena, code), .text = text};
    result->reasons = reasons;
    result->reason_count++;
}

// ---------------------------------------------------------------- files of earlier versions

// Returns a copy of a declaration with the members that earlier versions did not write.
static const struct benchmark_info *declared_since(struct arena *arena,
                                                   const struct benchmark_info *info)
{
    static const struct {
        const char *benchmark, *metric, *cycles_of, *part_of;
    } declared[] = {
        {"latency", "latency_cycles", "latency", NULL},
        {"latency", "control_cycles", "control", NULL},
        {"bandwidth", "per_core", "bandwidth", NULL},
        {"bandwidth", "bandwidth_cycle", "bandwidth", NULL},
        {"strides", "per_core", "bandwidth", NULL},
        {"strides", "cycles", "time", NULL},
        {"map", "latency_cycles", "latency", NULL},
        {"map", "control_cycles", "control", NULL},
        {"map", "fetch_cycles", "fetch", NULL},
        {"incore", "cycles", "time", NULL},
        {"incore", "per_core", "rate", NULL},
        {"raster", "per_cycle", "triangles,pixels,draws", NULL},
        {"launch", "host", NULL, "time"},
        {"overlap", "release_skew", NULL, "frame"},
    };
    static const struct {
        const char *benchmark;
        struct headline_info headline;
    } levels[] = {
        {"latency", {.kind = HEADLINE_LEVELS, .metric = "latency", .by = "bytes"}},
        {"map",
         {.kind = HEADLINE_LEVELS,
          .metric = "size",
          .where = "what=level,path=vector",
          .by = "level"}},
    };
    struct benchmark_info *copy = ARENA_NEW(arena, struct benchmark_info);
    struct metric_info *metrics = ARENA_ARRAY(arena, info->metric_count, struct metric_info);
    *copy = *info;
    copy->metrics = metrics;
    for (size_t i = 0; i < info->metric_count; i++) {
        metrics[i] = info->metrics[i];
        for (size_t d = 0; d < COUNT(declared); d++) {
            if (strcmp(declared[d].benchmark, info->name) != 0 ||
                strcmp(declared[d].metric, metrics[i].name) != 0)
                continue;
            if (!metrics[i].cycles_of)
                metrics[i].cycles_of = declared[d].cycles_of;
            if (!metrics[i].part_of)
                metrics[i].part_of = declared[d].part_of;
        }
    }
    for (size_t d = 0; d < COUNT(levels) && copy->headline_count == 0; d++)
        if (strcmp(levels[d].benchmark, info->name) == 0) {
            copy->headlines = &levels[d].headline;
            copy->headline_count = 1;
        }
    return copy;
}

// Makes an `ok` result of an earlier version of fathom suspect if the result was refuted later.
static void flag_refuted(struct arena *arena, struct result *result)
{
    if (result->verdict == VERDICT_OK && strcmp(result->benchmark, "incore") == 0 &&
        case_says(&result->bench_case, "op", "fp8-mma"))
        result_flag(arena, result, VERDICT_SUSPECT, "refuted",
                    "hardware counters showed that most steps were left out by the compiler: "
                    "op=e4m3-mma of later versions computes them");
}

void run_declare_missing(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        flag_refuted(run->arena, run->results[i]);
    for (size_t i = 0; i < run->benchmark_count; i++)
        run->benchmarks[i] = declared_since(run->arena, run->benchmarks[i]);
}
