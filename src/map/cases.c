// SPDX-License-Identifier: MIT
#include "map/cases.h"

#include "bench/map.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    SETTINGS_MAX = 10 // maximum number of settings that map_cases_add_chosen takes
};

// Size in bytes that the last cache is assumed to have if its size is unknown.
#define CACHE_BYTES (UINT64_C(64) << 20)
// A cache that the driver states counts as the last cache from this size on; a smaller one only if
// it surely is the last.
#define STATED_LEAST (UINT64_C(1) << 20)

bool map_cases_of_cpu(const struct map_cases *cases)
{
    return cases->device->kind == GPU_KIND_CPU;
}

uint64_t map_cases_last_cache(const struct map_cases *cases)
{
    const struct measure_limits *limits = &cases->limits;
    return limits->last_cache_known || limits->last_cache_bytes >= STATED_LEAST
               ? limits->last_cache_bytes
               : CACHE_BYTES;
}

// With any_clock, samples count at any core clock (struct plan_case).
static void add_case(struct map_cases *cases, const struct benchmark *benchmark,
                     const struct bench_case *bench_case, bool any_clock)
{
    const char *key = case_key(cases->arena, benchmark->info.name, bench_case);
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->at[i].key, key) == 0)
            return;
    cases->at =
        arena_grow(cases->arena, cases->at, cases->count, &cases->capacity, sizeof *cases->at);
    cases->at[cases->count] = (struct plan_case){.benchmark = benchmark,
                                                 .bench_case = bench_case,
                                                 .key = key,
                                                 .index = cases->count,
                                                 .any_clock = any_clock};
    cases->count++;
}

static void make_chosen(struct map_cases *cases, const struct benchmark *benchmark,
                        const char *const *texts, size_t count, struct bench_case_list *list)
{
    struct error err = {.code = ERROR_NONE};
    struct setting settings[SETTINGS_MAX];
    for (size_t i = 0; i < count; i++)
        if (!setting_parse(cases->arena, texts[i], &settings[i], &err))
            return;
    const struct choice_request request = {.benchmarks = &benchmark,
                                           .benchmark_count = 1,
                                           .preset = "standard",
                                           .settings = settings,
                                           .setting_count = count};
    struct bench_choice *choices;
    if (!choices_make(cases->arena, &request, benchmark, &choices, &err))
        return;
    const struct bench_request wanted = {.arena = cases->arena,
                                         .device = cases->device,
                                         .preset = request.preset,
                                         .choices = choices,
                                         .choice_count = benchmark->info.param_count};
    if (!bench_plan(benchmark, &wanted, list, &err))
        list->count = 0;
}

void map_cases_add_chosen(struct map_cases *cases, const struct benchmark *benchmark,
                          const char *const *texts, size_t count)
{
    struct bench_case_list list = {0};
    make_chosen(cases, benchmark, texts, count, &list);
    for (size_t i = 0; i < list.count; i++)
        add_case(cases, benchmark, &list.cases[i], benchmark == cases->latency);
}

// ---------------------------------------------------------------- latency

void map_cases_add_latency(struct map_cases *cases, const char *path, const char *order,
                           const char *bytes)
{
    bool pointer = strcmp(path, "vector") == 0 || strcmp(path, "scalar") == 0;
    const char *const texts[] = {
        arena_printf(cases->arena, "path=%s", path),
        arena_printf(cases->arena, "chain=%s", pointer ? cases->chain : "index"),
        arena_printf(cases->arena, "order=%s", order),
        arena_printf(cases->arena, "bytes=%s", bytes),
    };
    map_cases_add_chosen(cases, cases->latency, texts, sizeof texts / sizeof *texts);
}

const char *map_cases_coarse_sizes(const struct map_cases *cases)
{
    const uint64_t last = map_cases_last_cache(cases) / 1024 * 1024, most = cases->largest;
    const uint64_t parts[] = {1024, 2 * last, 6 * last};
    const char *sizes = "";
    if (map_cases_of_cpu(cases))
        return arena_printf(cases->arena, "4KiB..%" PRIu64 "/3", MAP_CPU_BYTES);
    for (unsigned i = 0; i < 3 && parts[i] < most; i++) {
        uint64_t to = i < 2 && parts[i + 1] < most ? parts[i + 1] : most;
        sizes = arena_printf(cases->arena, "%s%s%" PRIu64 "..%" PRIu64 "/%u", sizes,
                             *sizes ? "," : "", parts[i], to, i == 2 ? 1 : 4 - i);
    }
    return sizes;
}

// ---------------------------------------------------------------- the probes of the benchmark map

// Makes a case of the benchmark map with these parameters. The caller then sets their values.
static struct bench_case *make_probe(struct map_cases *cases, const enum map_param *params,
                                     size_t count)
{
    struct bench_case *probe = ARENA_NEW(cases->arena, struct bench_case);
    probe->values = ARENA_ARRAY(cases->arena, count, struct case_value);
    probe->value_count = count;
    for (size_t i = 0; i < count; i++)
        probe->values[i] = case_value_of(&cases->map->info.params[params[i]]);
    return probe;
}

void map_cases_add_chain(struct map_cases *cases, const struct map_chain *chain)
{
    const enum map_param params[] = {MAP_PARAM_WHAT,
                                     MAP_PARAM_PATH,
                                     MAP_PARAM_LEVEL,
                                     MAP_PARAM_BYTES,
                                     MAP_PARAM_CHAIN,
                                     MAP_PARAM_PITCH,
                                     chain->chains ? MAP_PARAM_PARALLEL : MAP_PARAM_CLOCK};
    uint64_t grain = chain->grain ? chain->grain : MAP_GRAIN_BYTES;
    uint64_t bytes = (uint64_t)chain->bytes / grain * grain;
    if (bytes < 2 * chain->stride)
        return;
    bool has_more = chain->chains || chain->clock_hz > 0;
    struct bench_case *probe = make_probe(cases, params, MAP_PARAM_CHAINS + has_more);
    probe->values[MAP_PARAM_WHAT].text = chain->what;
    probe->values[MAP_PARAM_PATH].text = "vector";
    probe->values[MAP_PARAM_LEVEL].uint = chain->level;
    probe->values[MAP_PARAM_BYTES].uint = bytes;
    probe->values[MAP_PARAM_CHAIN].text = cases->chain;
    probe->values[MAP_PARAM_PITCH].uint = chain->stride;
    if (has_more)
        probe->values[MAP_PARAM_CHAINS].uint =
            chain->chains ? chain->chains : (uint64_t)chain->clock_hz;
    add_case(cases, cases->map, probe, true);
}

void map_cases_add_code(struct map_cases *cases, uint64_t instructions)
{
    static const enum map_param params[] = {MAP_PARAM_WHAT, MAP_PARAM_INSTRUCTIONS};
    struct bench_case *probe = make_probe(cases, params, 2);
    probe->values[0].text = MAP_CODE;
    probe->values[1].uint = instructions;
    add_case(cases, cases->map, probe, false);
}

// ---------------------------------------------------------------- bandwidth

void map_cases_add_read(struct map_cases *cases, const char *scope, bool apart, uint64_t bytes)
{
    const char *const texts[] = {
        "op=read",
        "path=global",
        "width=16",
        "type=float",
        "shape=best",
        arena_printf(cases->arena, "scope=%s", scope),
        apart ? "access=apart" : "access=same",
        arena_printf(cases->arena, "bytes=%" PRIu64, bytes),
    };
    map_cases_add_chosen(cases, cases->bandwidth, texts, sizeof texts / sizeof *texts);
}

// ---------------------------------------------------------------- the beginning

bool map_cases_init(struct map_cases *cases, struct arena *arena, const struct gpu_info *device,
                    struct error *err)
{
    *cases = (struct map_cases){.arena = arena,
                                .device = device,
                                .latency = benchmark_find("latency"),
                                .bandwidth = benchmark_find("bandwidth"),
                                .map = benchmark_find("map"),
                                .strides = benchmark_find("strides")};
    if (!cases->latency || !cases->bandwidth || !cases->map || !cases->strides)
        return error_set(err, ERROR_INTERNAL,
                         "map needs the benchmarks latency, bandwidth, map and strides");
    measure_limits_of(device, &cases->limits);
    gpu_caps wanted = GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    cases->chain = (device->caps & wanted) == wanted ? "pointer" : "index";
    const char *const texts[] = {"path=vector", arena_printf(arena, "chain=%s", cases->chain),
                                 "order=random", "bytes=1MiB..max"};
    struct bench_case_list list = {0};
    make_chosen(cases, cases->latency, texts, sizeof texts / sizeof *texts, &list);
    for (size_t i = 0; i < list.count; i++)
        if (case_uint(&list.cases[i], "bytes") > cases->largest)
            cases->largest = case_uint(&list.cases[i], "bytes");
    return true;
}
