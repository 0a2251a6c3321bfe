// SPDX-License-Identifier: MIT
#include "map/questions.h"

#include "bench/map.h"
#include "map/cases.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    CORES_UNKNOWN = 64
};

#define CACHE_BYTES  (UINT64_C(64) << 20)  // where nobody says how large the last cache is
#define APART_BYTES  (UINT64_C(16) << 10)  // a core: where workgroups read different parts
#define APART_GRAIN  (UINT64_C(512) << 10) // what such working sets are multiples of, in bandwidth
#define SAME_GRAIN   (UINT64_C(4) << 10)   // … and those that all read
#define MEMORY_BYTES (UINT64_C(2) << 30)

bool map_questions_of_cpu(const struct map_questions *ask)
{
    return ask->device->kind == GPU_KIND_CPU;
}

uint64_t map_last_cache_bytes(const struct map_questions *ask)
{
    return ask->limits.last_cache_bytes ? ask->limits.last_cache_bytes : CACHE_BYTES;
}

void map_ask_case(struct map_questions *ask, const struct benchmark *benchmark,
                  const struct bench_case *bench_case)
{
    const char *key = case_key(ask->arena, benchmark->info.name, bench_case);
    for (size_t i = 0; i < ask->count; i++)
        if (strcmp(ask->cases[i].key, key) == 0)
            return;
    ask->cases = arena_grow(ask->arena, ask->cases, ask->count, &ask->capacity, sizeof *ask->cases);
    ask->cases[ask->count] = (struct plan_case){
        .benchmark = benchmark, .bench_case = bench_case, .key = key, .index = ask->count};
    ask->count++;
}

void map_ask_chosen(struct map_questions *ask, const struct benchmark *benchmark,
                    const char *const *texts, size_t count)
{
    struct bench_case_list list = {0};
    map_cases_make(&(struct map_cases){ask->arena, ask->device, benchmark, texts, count}, &list);
    for (size_t i = 0; i < list.count; i++)
        map_ask_case(ask, benchmark, &list.cases[i]);
}

void map_ask_latency(struct map_questions *ask, const char *path, const char *order,
                     const char *bytes)
{
    bool pointer = strcmp(path, "vector") == 0 || strcmp(path, "scalar") == 0;
    const char *const texts[] = {
        arena_printf(ask->arena, "path=%s", path),
        arena_printf(ask->arena, "chain=%s", pointer ? ask->chain : "index"),
        arena_printf(ask->arena, "order=%s", order),
        arena_printf(ask->arena, "bytes=%s", bytes),
    };
    map_ask_chosen(ask, ask->latency, texts, sizeof texts / sizeof *texts);
}

// ---------------------------------------------------------------- chains of map's own

void map_ask_probe(struct map_questions *ask, const struct map_question_probe *probe)
{
    struct case_value *values = ARENA_ARRAY(ask->arena, MAP_PARAM_CHAINS + 1, struct case_value);
    for (size_t i = 0; i <= MAP_PARAM_CLOCK; i++) {
        const struct param_info *param = &ask->map->info.params[i];
        values[i] =
            (struct case_value){.key = param->key, .type = param->type, .role = param->role};
    }
    values[MAP_PARAM_WHAT].text = probe->what;
    values[MAP_PARAM_PATH].text = "vector";
    values[MAP_PARAM_LEVEL].uint = probe->level;
    values[MAP_PARAM_BYTES].uint = (uint64_t)probe->bytes / probe->grain * probe->grain;
    values[MAP_PARAM_CHAIN].text = ask->chain;
    values[MAP_PARAM_PITCH].uint = probe->pitch;
    values[MAP_PARAM_CLOCK].uint = (uint64_t)probe->clock_hz;
    struct bench_case *bench_case = ARENA_NEW(ask->arena, struct bench_case);
    *bench_case = (struct bench_case){.values = values,
                                      .value_count = MAP_PARAM_CHAINS + (probe->clock_hz > 0)};
    if (values[MAP_PARAM_BYTES].uint >= 2 * probe->pitch)
        map_ask_case(ask, ask->map, bench_case);
}

// ---------------------------------------------------------------- bandwidth

// To three bits, so that parts of it are whole.
static uint64_t round_down(double bytes)
{
    uint64_t power = 1, whole = (uint64_t)bytes;
    while (power <= whole / 2)
        power *= 2;
    uint64_t part = power >= 4 ? power / 4 : 1;
    return whole / part * part;
}

static uint64_t round_up(uint64_t bytes, uint64_t grain)
{
    return (bytes + grain - 1) / grain * grain;
}

static void add_bandwidth(struct map_questions *ask, const char *scope, bool apart, uint64_t bytes)
{
    const char *const texts[] = {
        "op=read",
        "path=global",
        "width=16",
        "type=float",
        "shape=best",
        arena_printf(ask->arena, "scope=%s", scope),
        apart ? "access=apart" : "access=same",
        arena_printf(ask->arena, "bytes=%" PRIu64,
                     round_up(bytes, apart ? APART_GRAIN : SAME_GRAIN)),
    };
    map_ask_chosen(ask, ask->bandwidth, texts, sizeof texts / sizeof *texts);
}

static uint64_t round_within(const struct map_questions *ask, double from, double end)
{
    unsigned cores = ask->limits.cores ? ask->limits.cores : CORES_UNKNOWN;
    double least = fmax((double)APART_BYTES * cores, 1.5 * from), middle = sqrt(from * end);
    return round_up(round_down(middle > least ? middle : 1.25 * least), APART_GRAIN);
}

// In the middle of a level; where every core can read a part of its own.
void map_ask_level_bandwidth(struct map_questions *ask, double from, double end, bool first)
{
    if (first)
        add_bandwidth(ask, "device", false, round_down(sqrt(from * end)));
    else if ((double)round_within(ask, from, end) < 0.9 * end)
        add_bandwidth(ask, "device", true, round_within(ask, from, end));
    add_bandwidth(ask, "workgroup", false, round_down(sqrt(from * end)));
}

void map_ask_memory_bandwidth(struct map_questions *ask, double end)
{
    double behind =
        fmin(16 * end, map_questions_of_cpu(ask) ? (double)MAP_CPU_BYTES : (double)MEMORY_BYTES);
    if (ask->device->limits.memory_bytes)
        behind = fmin(behind, (double)ask->device->limits.memory_bytes / 2);
    add_bandwidth(ask, "device", true, round_down(behind));
    add_bandwidth(ask, "workgroup", false, round_down(behind));
}

// ---------------------------------------------------------------- the beginning

bool map_questions_init(struct map_questions *ask, struct arena *arena,
                        const struct gpu_info *device, struct error *err)
{
    *ask = (struct map_questions){.arena = arena,
                                  .device = device,
                                  .latency = benchmark_find("latency"),
                                  .bandwidth = benchmark_find("bandwidth"),
                                  .map = benchmark_find("map"),
                                  .strides = benchmark_find("strides")};
    if (!ask->latency || !ask->bandwidth || !ask->map)
        return error_set(err, ERROR_INTERNAL,
                         "map needs the benchmarks latency, bandwidth and map");
    measure_limits_of(device, &ask->limits);
    gpu_caps wanted = GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    ask->chain = (device->caps & wanted) == wanted ? "pointer" : "index";
    const char *const texts[] = {"path=vector", arena_printf(arena, "chain=%s", ask->chain),
                                 "order=random", "bytes=1MiB..max"};
    ask->largest = map_cases_largest(
        &(struct map_cases){arena, device, ask->latency, texts, sizeof texts / sizeof *texts},
        "bytes");
    return true;
}
