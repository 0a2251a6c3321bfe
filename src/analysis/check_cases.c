// SPDX-License-Identifier: MIT
#include "analysis/check_cases.h"

#include "math/stats.h"
#include "results/names.h"

#include <math.h>
#include <string.h>

#define READS  "op=read,path=global,scope=device,access=apart,width=16,type=float"
#define CHASES "path=vector,chain=pointer,order=random,load=idle"
#define COPIES "memory=pinned,by=copy,mode=row"
#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)

const struct check_case check_cases[] = {
    {CHECK_L2_READ, "L2", "bandwidth", "bandwidth", READS, MIB(8), false},
    {CHECK_DRAM_READ, "DRAM", "bandwidth", "bandwidth", READS, MIB(1024), true},
    {CHECK_LATENCY_L1, "L1 latency", "latency", "latency", CHASES, KIB(16), false},
    {CHECK_LATENCY_L2, "L2 latency", "latency", "latency", CHASES, MIB(4), false},
    {CHECK_LATENCY_DRAM, "DRAM latency", "latency", "latency", CHASES, MIB(256), true},
    {CHECK_FP32, "FP32", "incore", "rate", "scope=device,op=fp32-fma", 0, true},
    {CHECK_FP64, "FP64", "incore", "rate", "scope=device,op=fp64-fma", 0, false},
    {CHECK_FP16, "FP16", "incore", "rate", "scope=device,op=fp16x2-fma", 0, false},
    {CHECK_MATRIX_FP16, "FP16 matrix", "incore", "rate", "scope=device,op=fp16-matrix", 0, true},
    {CHECK_HOST_TO_DEVICE, "Host to device", "transfer", "bandwidth", "direction=h2d," COPIES,
     MIB(256), true},
    {CHECK_DEVICE_TO_HOST, "Device to host", "transfer", "bandwidth", "direction=d2h," COPIES,
     MIB(256), true},
    {CHECK_LINK_BOTH, "Link, both ways", "transfer", "bandwidth", "direction=both," COPIES,
     MIB(256), false},
};
const size_t check_case_count = sizeof check_cases / sizeof *check_cases;

// ---------------------------------------------------------------- the cases

static double limit_of(const struct run_device *device, const char *name)
{
    for (size_t i = 0; i < device->limit_count; i++)
        if (strcmp(device->limits[i].name, name) == 0)
            return device->limits[i].value;
    return INFINITY;
}

uint64_t check_bytes(const struct check_case *of, const struct run_device *device)
{
    bool second = of->metric == CHECK_L2_READ || of->metric == CHECK_LATENCY_L2;
    bool is_cpu = device->kind && strcmp(device->kind, "cpu") == 0;
    double most = fmin(limit_of(device, "memory_bytes"), limit_of(device, "allocation_bytes")) / 4;
    if (second)
        most = fmin(most, limit_of(device, "last_cache_bytes") / 2);
    else if (is_cpu) // slow, and only there to try fathom out
        most = fmin(most, (double)MIB(64));
    uint64_t bytes = of->bytes;
    while (bytes > KIB(16) && (double)bytes > most)
        bytes /= 2;
    return bytes;
}

static bool is_case(const struct check_case *of, const struct result *result, uint64_t bytes)
{
    const struct case_value *size = case_find(&result->bench_case, "bytes");
    return strcmp(result->benchmark, of->benchmark) == 0 &&
           case_matches(&result->bench_case, of->values) &&
           (bytes == 0 || (size && size->uint == bytes));
}

bool check_wants(const struct result *result)
{
    for (size_t i = 0; i < check_case_count; i++)
        if (is_case(&check_cases[i], result, check_cases[i].bytes))
            return result_measured(result) && result->verdict == VERDICT_OK;
    return false;
}

const struct check_case *check_case_of(enum check_metric metric)
{
    for (size_t i = 0; i < check_case_count; i++)
        if (check_cases[i].metric == metric)
            return &check_cases[i];
    return NULL;
}

const char *check_title(enum check_metric metric)
{
    const struct check_case *of = check_case_of(metric);
    return of ? of->title : words_name(&check_metric_words, metric);
}

const struct run_device *check_device(const struct run *run, const char *id)
{
    for (size_t i = 0; id && i < run->device_count; i++)
        if (strcmp(run->devices[i].id, id) == 0)
            return &run->devices[i];
    return NULL;
}

// The result of the check's device that yields a figure; NULL if there is none.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric)
{
    const struct check_case *of = check_case_of(metric);
    uint64_t bytes = of && of->bytes ? check_bytes(of, device) : 0;
    for (size_t i = 0; of && i < run->result_count; i++)
        if (strcmp(run->results[i]->device, device->id) == 0 && is_case(of, run->results[i], bytes))
            return run->results[i];
    return NULL;
}

// ---------------------------------------------------------------- what was measured

static void add_figure(struct run *run, struct check *check, const struct check_case *of,
                       const struct result *result)
{
    const struct metric *metric = result ? result_metric(result, of->measured) : NULL;
    if (!metric || !result_measured(result) || !isfinite(metric->median))
        return;
    struct check_figure figure = check_figure_empty(of->metric);
    figure.unit = metric->unit;
    figure.value = metric->median;
    figure.low = metric->ci95[0];
    figure.high = metric->ci95[1];
    figure.noise = stats_deviation(metric->round_medians, metric->round_count) / metric->median;
    if (!check->figures)
        check->figures = ARENA_ARRAY(run->arena, CHECK_METRIC_COUNT, struct check_figure);
    check->figures[check->figure_count++] = figure;
}

double check_sensor(const struct result *result, const char *name)
{
    const struct named_number *sensor = result ? result_sensor(result, name) : NULL;
    return sensor ? sensor->value : (double)NAN;
}

// Clocks are those of the work that needs them; the rest is the highest value of the check.
static void take_state(const struct run *run, const struct run_device *device, struct check *check)
{
    struct check_state *state = &check->state;
    state->core_clock_hz = check_sensor(check_result(run, device, CHECK_FP32), "core_clock");
    state->memory_clock_hz =
        check_sensor(check_result(run, device, CHECK_DRAM_READ), "card_memory_clock");
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (strcmp(result->device, device->id) != 0)
            continue;
        if (!isfinite(state->core_clock_hz))
            state->core_clock_hz = check_sensor(result, "core_clock");
        state->temperature_c = fmax(state->temperature_c, check_sensor(result, "temperature"));
        state->power_w = fmax(state->power_w, check_sensor(result, "power"));
    }
}

void check_take_figures(struct run *run, struct check *check)
{
    const struct run_device *device = check_device(run, check->device);
    check->figure_count = 0;
    for (size_t i = 0; device && i < check_case_count; i++) {
        const struct check_case *of = &check_cases[i];
        add_figure(run, check, of, check_result(run, device, of->metric));
    }
    if (device)
        take_state(run, device, check);
}
