// SPDX-License-Identifier: MIT
#include "machine.h"

#include "fakes/map_run.h"

#include "bench/map.h"
#include "map/judge.h"
#include "map/lines.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_MAX = 2000
};

const struct machine machine_hopper = {
    .levels = 3,
    .capacity = {200 << 10, 28e6, 60e6},
    .latency = {16, 140, 260, 335},
    .sharers = {1, 66, 132},
    .line = 128,
    .sector = 32,
    .hashed = true,
    .entries = 1024,
    .page = 2 << 20,
    .code = {1024, 8192, INFINITY},
    .fetch = {0.5, 0.7, 2.1},
    .reads = {33e12, 9.8e12, 9.8e12, 4.7e12},
    .piece = 256 << 10,
    .merges = 40 << 10,
};

struct gpu_info machine_device(enum gpu_kind kind)
{
    struct gpu_info info = map_run_device();
    info.kind = kind;
    info.vendor_id = GPU_VENDOR_NVIDIA; // its driver states the last cache
    info.limits.cores = 132;
    info.limits.last_cache_bytes = 60 << 20;
    return info;
}

// ---------------------------------------------------------------- answers

static double latency_of(const struct machine *m, const struct lines_chain *chain)
{
    struct lines_cache caches[MACHINE_LEVELS_MAX + 1];
    if (m->slope > 0)
        return 10 * pow(chain->region / 1024, m->slope);
    for (size_t k = 0; k <= m->levels; k++)
        caches[k] = (struct lines_cache){
            m->latency[k], k < m->levels ? m->capacity[k] : INFINITY, m->line, m->sector, 0, false};
    double rise = m->rises_from > 0 ? fmax(log2(chain->region / m->rises_from), 0) : 0;
    return lines_expected(caches, m->levels + 1, chain) * exp2(0.4 * rise);
}

// Latency of a chain over pages. Pages, or nodes if farther apart, have a TLB entry each.
static double translated(const struct machine *m, double region, double apart)
{
    return m->latency[1] + (region / fmax(apart, m->page) > m->entries ? 100 : 0);
}

// Latency of chains that run at the same time, on every core or as many as the case says.
static double crowded(const struct machine *m, const struct bench_case *bench_case, unsigned cores)
{
    const struct case_value *chains = case_find(bench_case, "chains");
    const struct map_sharers_probe probe = {(double)case_uint(bench_case, "bytes"),
                                            chains ? (unsigned)chains->uint : cores};
    size_t k = 0;
    while (k < m->levels &&
           probe.region * map_sharers_together(&probe, cores, (unsigned)m->sharers[k], 0.5) >
               m->capacity[k])
        k++;
    return m->latency[k];
}

// Latency of a chain that visits few pages at a time. It touches all bytes of its region.
static double local_ns(const struct machine *m, double region)
{
    const struct lines_chain every = {region, 32};
    struct machine seen = *m;
    for (size_t k = 0; k <= m->levels; k++)
        seen.latency[k] = m->local[k] > 0 ? m->local[k] : m->latency[k];
    return latency_of(&seen, &every) * (m->local_rises ? pow(region / 1024, 0.1) / 4 : 1);
}

static double chase_ns(const struct machine *m, double cores, const struct bench_case *bench_case)
{
    double bytes = (double)case_uint(bench_case, "bytes"),
           stride = (double)case_uint(bench_case, "pitch");
    const struct case_value *order = case_find(bench_case, "order"),
                            *what = case_find(bench_case, "what");
    if (strcmp(case_text(bench_case, "path"), "shared") == 0)
        return 15;
    if (order && strcmp(order->text, "page") == 0)
        return translated(m, bytes, (double)case_uint(bench_case, "page"));
    if (what && (strcmp(what->text, MAP_PAGES) == 0 || stride > 1 << 20) &&
        strcmp(what->text, MAP_WAYS) != 0)
        return translated(m, bytes, stride);
    if (what && strcmp(what->text, MAP_NEIGHBOURS) == 0)
        return crowded(m, bench_case, (unsigned)cores);
    if (what && strcmp(what->text, MAP_LOCAL) == 0)
        return local_ns(m, bytes);
    // With plain sets, a stride of several lines leaves sets unused, as if a line were as long as
    // the largest power of two that divides the stride.
    struct machine seen = *m;
    uint64_t odd = (uint64_t)stride & (~(uint64_t)stride + 1);
    if (!m->hashed && (double)odd > m->line)
        seen.line = (double)odd;
    return latency_of(&seen, &(struct lines_chain){bytes, stride});
}

static uint64_t bytes_of(const struct bench_case *bench_case)
{
    return case_uint(bench_case, "bytes");
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

// Rate of reads by all cores, or by one. Each cache of a level sees a part of what all read.
static double read_rate(const struct machine *m, double cores, const struct bench_case *bench_case)
{
    double bytes = (double)bytes_of(bench_case), merged = m->merges * cores;
    bool apart = case_says(bench_case, "access", "apart");
    size_t k = apart ? 1 : 0;
    for (; k < m->levels; k++) {
        uint64_t caches = (uint64_t)(cores / m->sharers[k] + 0.5);
        uint64_t parts = (uint64_t)(bytes / m->piece);
        double seen = apart && parts ? bytes / (double)common_divisor(parts, caches) : bytes;
        if (seen <= m->capacity[k])
            break;
    }
    double rate = m->reads[k] / (case_says(bench_case, "scope", "workgroup") ? cores : 1);
    return apart && k < m->levels && bytes < merged ? rate * sqrt(merged / bytes) : rate;
}

static double fetch_ns(const struct machine *m, const struct bench_case *bench_case)
{
    size_t k = 0;
    while ((double)case_uint(bench_case, "instructions") > m->code[k])
        k++;
    return m->fetch[k];
}

struct asked {
    const struct machine *machine;
    double cores;
};

static void answer(void *context, struct arena *arena, size_t index, struct result *result)
{
    const struct asked *asked = context;
    const struct machine *m = asked->machine;
    const struct bench_case *bench_case = &result->bench_case;
    result->metrics = ARENA_NEW(arena, struct metric);
    bool is_chase =
        strcmp(result->benchmark, "latency") == 0 || strcmp(result->benchmark, "map") == 0;
    // The number of the case gives a noise of one part in a thousand.
    double noise = 1 + 0.001 * sin(12.9898 * (double)index);
    bool is_read = strcmp(result->benchmark, "bandwidth") == 0;
    if (is_read && m->falls)
        noise *= 1e3 / sqrt((double)bytes_of(bench_case));
    const struct case_value *what = case_find(bench_case, "what");
    bool is_code = what && strcmp(what->text, MAP_CODE) == 0;
    double value = noise * (is_code    ? fetch_ns(m, bench_case)
                            : is_chase ? chase_ns(m, asked->cores, bench_case)
                            : is_read  ? read_rate(m, asked->cores, bench_case)
                                       : 1e9);
    result->sensors = ARENA_NEW(arena, struct named_number);
    result->sensors[0] = (struct named_number){MAP_CODE_SENSOR, UNIT_BYTE, m->code_bytes};
    result->sensor_count = is_code;
    *result->metrics = (struct metric){.name = is_code    ? "fetch"
                                               : is_chase ? "latency"
                                                          : "bandwidth",
                                       .unit = is_chase ? UNIT_NS : UNIT_BYTE_PER_S,
                                       .median = value,
                                       .ci95 = {value * 0.999, value * 1.001},
                                       .n = 20};
    result->metric_count = 1;
    bool is_large = m->reads_most > 0 && is_read && case_says(bench_case, "access", "same") &&
                    case_says(bench_case, "scope", "device") &&
                    (double)bytes_of(bench_case) > m->reads_most;
    if (m->suspect && is_read && !is_large)
        result_flag(arena, result, VERDICT_SUSPECT, "throttled", "reads were throttled");
    if ((m->no_reads && is_read) || is_large) {
        result->metric_count = 0;
        result_flag(arena, result, VERDICT_SKIPPED, "unsupported", "%s",
                    is_large ? "too many bytes" : m->no_reads);
    }
    if (is_code && m->code_most > 0 &&
        (double)case_uint(bench_case, "instructions") > m->code_most) {
        result->metric_count = 0;
        result_flag(arena, result, VERDICT_SKIPPED, "unsupported", "it takes too long");
    }
}

struct run *machine_map(const struct gpu_info *device, const struct machine *machine, size_t *cases)
{
    struct asked asked = {machine, (double)device->limits.cores};
    size_t count;
    struct run *run = map_run(device, answer, &asked, CASES_MAX, &count);
    assert_true(count < CASES_MAX);
    if (cases)
        *cases = count;
    return run;
}

struct run *machine_map_up_to(const struct gpu_info *device, const struct machine *machine,
                              size_t most)
{
    struct asked asked = {machine, (double)device->limits.cores};
    size_t cases;
    return map_run(device, answer, &asked, most, &cases);
}

// ---------------------------------------------------------------- what came out

const struct result *machine_found(const struct run *run, const char *key)
{
    const struct result *result = run_find(run, "vulkan:0", key);
    if (!result)
        fail_msg("no result %s", key);
    return result;
}

double machine_value(const struct result *result, const char *metric)
{
    const struct metric *found = result_metric(result, metric);
    return found ? found->median : NAN;
}

const char *machine_detail(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->detail_count; i++)
        if (strcmp(result->details[i].name, name) == 0)
            return result->details[i].text;
    return "";
}
