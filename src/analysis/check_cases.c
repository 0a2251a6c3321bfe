// SPDX-License-Identifier: MIT
#include "analysis/check_cases.h"

#include "analysis/pairing.h"
#include "base/text.h"
#include "math/stats.h"
#include "results/names.h"
#include "results/reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READS  "op=read,path=global,scope=device,access=apart,width=16,type=float"
#define CHASES "path=vector,chain=pointer,order=random,load=idle"
#define COPIES "memory=pinned,by=copy,mode=row,together!=yes|auto"
#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)

const struct check_case check_cases[] = {
    {CHECK_L2_READ, "L2 read", "bandwidth", "bandwidth", READS, MIB(8), .quick = false},
    {CHECK_DRAM_READ, "DRAM read", "bandwidth", "bandwidth", READS, MIB(1024), .quick = true},
    {CHECK_LATENCY_L1, "L1 latency", "latency", "latency", CHASES, KIB(16), .quick = false},
    {CHECK_LATENCY_L2, "L2 latency", "latency", "latency", CHASES, MIB(4), .quick = false},
    {CHECK_LATENCY_DRAM, "DRAM latency", "latency", "latency", CHASES, MIB(256), .quick = true},
    {CHECK_FP32, "FP32", "incore", "rate", "scope=device,op=fp32-fma", 0, .quick = true},
    {CHECK_FP64, "FP64", "incore", "rate", "scope=device,op=fp64-fma", 0, .quick = false},
    {CHECK_FP16, "FP16", "incore", "rate", "scope=device,op=fp16x2-fma", 0, .quick = false},
    {CHECK_MATRIX_FP16, "Matrix FP16", "incore", "rate", "scope=device,op=fp16-matrix", 0,
     .quick = true},
    {CHECK_HOST_TO_DEVICE, "Host link to device", "transfer", "bandwidth", "direction=h2d," COPIES,
     MIB(256), .quick = true},
    {CHECK_DEVICE_TO_HOST, "Host link to host", "transfer", "bandwidth", "direction=d2h," COPIES,
     MIB(256), .quick = true},
    {CHECK_LINK_BOTH, "Host link both ways", "transfer", "bandwidth", "direction=both," COPIES,
     MIB(256), .quick = false},
    {CHECK_LINK_ALL_AT_ONCE, "Host link to device, all GPUs at once", "transfer", "bandwidth",
     "direction=h2d,memory=pinned,by=copy,mode=row,together=yes", MIB(256), .at_once = true},
    {CHECK_PEER, "Copy to GPU", "transfer", "bandwidth",
     "direction=peer,ways!=both|all,engine!=target", MIB(256), .at_once = true},
    {CHECK_PEER_READ, "Copy from GPU", "transfer", "bandwidth", "direction=peer,engine=target",
     MIB(256), .at_once = true},
    {CHECK_PEER_BOTH, "Both ways with GPU", "transfer", "bandwidth", "direction=peer,ways=both",
     MIB(256), .at_once = true},
    {CHECK_PEER_ALL, "Between all GPUs", "transfer", "bandwidth", "direction=peer,ways=all",
     MIB(256), .at_once = true},
};
const size_t check_case_count = sizeof check_cases / sizeof *check_cases;

// ---------------------------------------------------------------- which case gives which figure

uint64_t check_bytes(const struct check_case *of, const struct run_device *device)
{
    bool second = of->metric == CHECK_L2_READ || of->metric == CHECK_LATENCY_L2;
    bool is_cpu = device->kind && strcmp(device->kind, "cpu") == 0;
    // An unknown size is NaN; fmin ignores a NaN.
    double most = fmin(run_device_limit(device, "memory_bytes"),
                       run_device_limit(device, "allocation_bytes")) /
                  4;
    if (second)
        most = fmin(most, run_device_limit(device, "last_cache_bytes") / 2);
    else if (is_cpu) // at most 64 MiB on a CPU, because it is slow
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

// Returns true if the result measured copies from a device to itself.
static bool is_within(const struct result *result)
{
    return *result_value(result, "from") &&
           strcmp(result_value(result, "from"), result_value(result, "to")) == 0;
}

const struct check_case *check_wanted(const struct result *result)
{
    if (is_within(result) || !result_measured(result) || result->verdict != VERDICT_OK)
        return NULL;
    for (size_t i = 0; i < check_case_count; i++)
        if (is_case(&check_cases[i], result, check_cases[i].bytes))
            return &check_cases[i];
    return NULL;
}

const struct check_case *check_case_of(enum check_metric metric)
{
    for (size_t i = 0; i < check_case_count; i++)
        if (check_cases[i].metric == metric)
            return &check_cases[i];
    return NULL;
}

enum unit check_unit(enum unit unit)
{
    return unit == UNIT_OP_PER_S ? UNIT_FLOP_PER_S : unit;
}

const char *check_title(struct arena *arena, const struct check_figure *figure)
{
    const struct check_case *of = check_case_of(figure->metric);
    const char *title = of ? of->title : words_name(&check_metric_words, figure->metric);
    return isfinite(figure->peer) ? arena_printf(arena, "%s %.0f", title, figure->peer) : title;
}

// Returns the index of the other device, 1 for "cuda:1", if the result gives a figure of copies
// between `device` and another device; else NaN.
static double peer_of(const struct check_case *of, const struct result *result,
                      const struct run_device *device)
{
    bool reads = of->metric == CHECK_PEER_READ;
    const char *own = result_value(result, reads ? "to" : "from");
    const char *other = result_value(result, reads ? "from" : "to");
    if (of->metric == CHECK_PEER_BOTH && strcmp(other, device->id) == 0) {
        other = own;
        own = device->id;
    }
    const char *number = strchr(other, ':');
    bool is_pair = strcmp(own, device->id) == 0 && strcmp(other, own) != 0 && number;
    return is_pair ? strtod(number + 1, NULL) : (double)NAN;
}

// Returns true if this result gives a figure of `device` (for a pair, with the device `peer`).
static bool yields(const struct check_case *of, const struct result *result,
                   const struct run_device *device, double peer)
{
    if (check_metric_is_pair(of->metric))
        return peer_of(of, result, device) == peer;
    size_t api = strcspn(device->id, ":");
    if (of->metric == CHECK_PEER_ALL)
        return strncmp(result->device, device->id, api + 1) == 0;
    return strcmp(result->device, device->id) == 0;
}

const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric, double peer)
{
    const struct check_case *of = check_case_of(metric);
    uint64_t bytes = of && of->bytes ? check_bytes(of, device) : 0;
    for (size_t i = 0; of && i < run->result_count; i++)
        if (is_case(of, run->results[i], bytes) && yields(of, run->results[i], device, peer))
            return run->results[i];
    return NULL;
}

const struct reason *check_excuse(const struct run *run, const struct run_device *device,
                                  const struct check_figure *figure)
{
    const struct result *result = check_result(run, device, figure->metric, figure->peer);
    const struct reason *busy = result ? result_reason(result, REASON_SHARED_HOST) : NULL;
    return busy || !result ? busy : result_reason(result, REASON_ALTERED);
}

// Returns how well a result of another run can be compared with copies between `card` and the
// device with the index `peer`.
//
//   3  `other` has copies between `card` and a device with the index `peer`.
//   2  `other` has copies between `card` and a device with another index.
//   1  `other` has copies between all devices, or does not name the devices, like the reference
//      results that are embedded in the program.
//   0  `other` has copies between other devices.
static int fitness(const struct check_case *of, const struct result *other,
                   const struct run_device *card, double peer)
{
    double index = peer_of(of, other, card);
    if (of->metric == CHECK_PEER_ALL)
        return yields(of, other, card, peer);
    if (!isfinite(index))
        return !*result_value(other, "from") && strcmp(other->device, card->id) == 0;
    return index == peer ? 3 : 2;
}

const struct result *check_counterpart(const struct run *run, const struct run_device *card,
                                       const struct check_case *of, const struct run_device *device,
                                       const struct result *result)
{
    const struct result *best = NULL;
    const struct case_value *bytes = case_find(&result->bench_case, "bytes");
    double peer = peer_of(of, result, device);
    int best_fitness = 0;
    if (!check_metric_is_pair(of->metric) && of->metric != CHECK_PEER_ALL)
        return run_find(run, card->id, result->key);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *other = run->results[i];
        int fits = fitness(of, other, card, peer);
        if (fits > best_fitness && !is_within(other) &&
            is_case(of, other, bytes ? bytes->uint : 0) &&
            text_same(result_detail(other, "way"), result_detail(result, "way")) &&
            text_same(result_detail(other, "devices"), result_detail(result, "devices"))) {
            best = other;
            best_fitness = fits;
        }
    }
    return best;
}

// Removes the result's details, except those that say how copies between devices were made.
static void keep_ways(struct arena *arena, struct result *result)
{
    static const char *const names[] = {"way", "devices"};
    const struct result all = *result;
    bool between = strcmp(result_value(result, "direction"), "peer") == 0;
    result->details = ARENA_ARRAY(arena, COUNT(names), struct named_text);
    result->detail_count = 0;
    for (size_t i = 0; between && i < COUNT(names); i++)
        if (result_detail(&all, names[i]))
            result->details[result->detail_count++] =
                (struct named_text){.name = names[i], .text = result_detail(&all, names[i])};
}

bool check_shorten(struct arena *arena, struct result *result)
{
    const struct check_case *of = NULL;
    for (size_t i = 0; i < check_case_count && !of; i++)
        if (is_case(&check_cases[i], result, 0))
            of = &check_cases[i];
    const struct metric *measured = of ? result_metric(result, of->measured) : NULL;
    const struct result all = *result;
    if (!measured || !result_measured(result))
        return false;
    keep_ways(arena, result);
    result->metrics = ARENA_NEW(arena, struct metric);
    result->metrics[0] = *measured;
    result->metrics[0].round_count = 0;
    result->metric_count = 1;
    result->sensors = ARENA_ARRAY(arena, all.sensor_count, struct named_number);
    result->sensor_count = 0;
    for (size_t i = 0; i < all.sensor_count; i++)
        if (all.sensors[i].unit == UNIT_HZ)
            result->sensors[result->sensor_count++] = all.sensors[i];
    result->kernel = (struct kernel_info){0};
    result->series_count = result->reason_count = 0;
    return true;
}

bool check_concerns(const struct result *result, const char *device)
{
    if (strcmp(result_value(result, "direction"), "peer") != 0)
        return strcmp(result->device, device) == 0;
    return strcmp(result_value(result, "ways"), "all") == 0 ||
           strcmp(result_value(result, "from"), device) == 0 ||
           strcmp(result_value(result, "to"), device) == 0;
}

// ---------------------------------------------------------------- figures of the measured cases

static void add_figure(struct check *check, const struct check_case *of, double peer,
                       const struct result *result)
{
    const struct metric *metric = result ? result_metric(result, of->measured) : NULL;
    if (!metric || !result_measured(result) || !isfinite(metric->median))
        return;
    struct check_figure figure = check_figure_empty(of->metric);
    figure.peer = peer;
    figure.unit = metric->unit;
    figure.value = metric->median;
    figure.low = metric->ci95[0];
    figure.high = metric->ci95[1];
    figure.noise = stats_deviation(metric->round_medians, metric->round_count) / metric->median;
    check->figures[check->figure_count++] = figure;
}

// Adds the figures of the copies between `device` and each other device of its API.
static void add_pairs(const struct run *run, const struct run_device *device, struct check *check,
                      const struct check_case *of)
{
    for (size_t i = 0; i < run->device_count; i++) {
        if (!device_same_api(device, &run->devices[i]))
            continue;
        const char *number = strchr(run->devices[i].id, ':');
        double peer = number ? strtod(number + 1, NULL) : (double)NAN;
        add_figure(check, of, peer, check_result(run, device, of->metric, peer));
    }
}

double check_sensor(const struct result *result, const char *name)
{
    const struct named_number *sensor = result ? result_sensor(result, name) : NULL;
    return sensor ? sensor->value : (double)NAN;
}

// Sets the clocks in the check, and the highest temperature and power of the device's results.
static void take_state(const struct run *run, const struct run_device *device, struct check *check)
{
    struct check_state *state = &check->state;
    state->core_clock_hz = check_sensor(check_result(run, device, CHECK_FP32, NAN), "core_clock");
    state->memory_clock_hz =
        check_sensor(check_result(run, device, CHECK_DRAM_READ, NAN), "card_memory_clock");
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
    const struct run_device *device = run_find_device(run, check->device);
    check->figure_count = 0;
    if (!device)
        return;
    size_t most = check_case_count + (CHECK_PEER_BOTH - CHECK_PEER + 1) * run->device_count;
    check->figures = ARENA_ARRAY(run->arena, most, struct check_figure);
    for (size_t i = 0; i < check_case_count; i++) {
        const struct check_case *of = &check_cases[i];
        if (!check_metric_is_pair(of->metric))
            add_figure(check, of, NAN, check_result(run, device, of->metric, NAN));
        else
            add_pairs(run, device, check, of);
    }
    take_state(run, device, check);
}
