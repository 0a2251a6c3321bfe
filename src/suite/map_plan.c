// SPDX-License-Identifier: MIT
#include "suite/map_plan.h"

#include "analysis/levels.h"
#include "analysis/lines.h"
#include "bench/map.h"
#include "measure/limits.h"
#include "suite/map_cases.h"
#include "suite/map_clocks.h"
#include "suite/map_code.h"
#include "suite/map_judge.h"
#include "suite/map_pages.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const map_benchmarks[MAP_BENCHMARKS_MAX] = {"latency", "bandwidth", "map", "strides",
                                                        NULL};

enum {
    GRAIN_BYTES = 512, // latency's: sizes are multiples of it
    NODE_BYTES = 128,  // from one node to the next
    KNEE_POINTS = 10,
    CORES_UNKNOWN = 64,
    VENDOR_AMD = 0x1002
};

// An end known to this many octaves (3 %) is not asked about again.
static const double knee_octaves = 0.045;
#define CPU_BYTES    (UINT64_C(128) << 20) // host memory: the chains are built slowly
#define CACHE_BYTES  (UINT64_C(64) << 20)  // where nobody says how large the last cache is
#define APART_BYTES  (UINT64_C(16) << 10)  // a core: where workgroups read different parts
#define PAGE_BYTES   (UINT64_C(2) << 20)   // latency's default
#define APART_GRAIN  (UINT64_C(512) << 10) // what such working sets are multiples of, in bandwidth
#define SAME_GRAIN   (UINT64_C(4) << 10)   // … and those that all read
#define PAGES_BYTES  (UINT64_C(16) << 20)  // where chains over pages begin
#define MEMORY_BYTES (UINT64_C(2) << 30)
#define WAYS_BYTES   (UINT64_C(4) << 20) // the largest level whose ways are asked about

enum stage {
    STAGE_COARSE,
    STAGE_KNEES,
    STAGE_KNEES_AGAIN,
    STAGE_LINES,
    STAGE_SHARERS,
    STAGE_BANDWIDTH,
    STAGE_TLB,
    STAGE_TLB_KNEES,
    STAGE_PAGES,
    STAGE_PATHS,
    STAGE_SHARED,
    STAGE_CODE,
    STAGE_CODE_KNEES,
    STAGE_CODE_KNEES_AGAIN,
    STAGE_CLOCKS,
    STAGE_END
};

struct map_plan {
    struct plan plan; // first: what next() gets is this
    struct arena *arena;
    const struct gpu_info *device;
    struct measure_limits limits;
    const struct benchmark *latency, *bandwidth, *map,
        *strides;      // strides: NULL where there is none
    const char *chain; // "pointer" where the device has addresses
    uint64_t largest;  // region of such a chain
    enum stage stage;  // whose cases come next
    struct plan_case *cases;
    size_t count, capacity;
    size_t at, block;
    const double *clocks_hz; // asked for
    size_t clock_count;
};

static bool is_cpu(const struct map_plan *plan)
{
    return plan->device->kind == GPU_KIND_CPU;
}

// ---------------------------------------------------------------- adding cases

static void add_case(struct map_plan *plan, const struct benchmark *benchmark,
                     const struct bench_case *point)
{
    const char *key = case_key(plan->arena, benchmark->info.name, point);
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->cases[i].key, key) == 0)
            return;
    plan->cases =
        arena_grow(plan->arena, plan->cases, plan->count, &plan->capacity, sizeof *plan->cases);
    plan->cases[plan->count] = (struct plan_case){
        .benchmark = benchmark, .point = point, .key = key, .index = plan->count};
    plan->plan.total = ++plan->count;
}

static void add_chosen(struct map_plan *plan, const struct benchmark *benchmark,
                       const char *const *texts, size_t count)
{
    struct bench_case_list list = {0};
    map_cases_make(&(struct map_cases){plan->arena, plan->device, benchmark, texts, count}, &list);
    for (size_t i = 0; i < list.count; i++)
        add_case(plan, benchmark, &list.cases[i]);
}

static void add_latency(struct map_plan *plan, const char *path, const char *order,
                        const char *bytes)
{
    bool pointer = strcmp(path, "vector") == 0 || strcmp(path, "scalar") == 0;
    const char *const texts[] = {
        arena_printf(plan->arena, "path=%s", path),
        arena_printf(plan->arena, "chain=%s", pointer ? plan->chain : "index"),
        arena_printf(plan->arena, "order=%s", order),
        arena_printf(plan->arena, "bytes=%s", bytes),
    };
    add_chosen(plan, plan->latency, texts, sizeof texts / sizeof *texts);
}

// ---------------------------------------------------------------- the stages

static uint64_t last_cache(const struct map_plan *plan)
{
    return plan->limits.last_cache_bytes ? plan->limits.last_cache_bytes : CACHE_BYTES;
}

static void plan_coarse(struct map_plan *plan)
{
    const char *sizes = map_cases_coarse(plan->arena, last_cache(plan), plan->largest);
    if (is_cpu(plan))
        sizes = arena_printf(plan->arena, "4KiB..%" PRIu64 "/3", CPU_BYTES);
    add_latency(plan, "vector", "random", sizes);
}

static const struct level_curve *curve_of(const struct level_curves *all, const char *order)
{
    const struct level_curve *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct bench_case *point = &all->curves[i].results[0]->point;
        const struct case_value *path = case_find(point, "path"), *of = case_find(point, "order");
        if (path && of && strcmp(path->text, "vector") == 0 && strcmp(of->text, order) == 0)
            best = &all->curves[i];
    }
    return best;
}

// Ends that are looked at more closely: between flat levels, and of the last of them.
static size_t levels_to_refine(const struct plateaus *fit)
{
    return fit->flat < fit->count ? fit->flat + 1 : fit->count;
}

// More sizes from a little before each end to where its rise is over.
static void plan_knees(struct map_plan *plan, const struct level_curve *curve, const char *order,
                       uint64_t grain)
{
    const char *sizes = "";
    for (size_t k = 0; curve && k + 1 < levels_to_refine(&curve->fit); k++) {
        const struct plateaus_step *step = &curve->fit.steps[k];
        if (step->end_high - step->end_low < knee_octaves)
            continue;
        double from = step->end_low - 0.03, to = step->end_high + 0.03;
        for (int i = 0; i < KNEE_POINTS; i++) {
            double octave = from + (to - from) * i / (KNEE_POINTS - 1);
            uint64_t bytes = (uint64_t)exp2(octave) / grain * grain;
            sizes = arena_printf(plan->arena, "%s%s%" PRIu64, sizes, *sizes ? "," : "", bytes);
        }
    }
    if (*sizes)
        add_latency(plan, "vector", order, sizes);
}

struct probe {
    const char *what;
    size_t level;
    double bytes;
    uint64_t pitch, grain;
    double clock_hz; // of MAP_CLOCKS
};

static void add_probe(struct map_plan *plan, const struct probe *probe)
{
    struct case_value *values = ARENA_ARRAY(plan->arena, MAP_PARAM_CHAINS + 1, struct case_value);
    for (size_t i = 0; i <= MAP_PARAM_CLOCK; i++) {
        const struct param_info *param = &plan->map->info.params[i];
        values[i] =
            (struct case_value){.key = param->key, .type = param->type, .role = param->role};
    }
    values[MAP_PARAM_WHAT].text = probe->what;
    values[MAP_PARAM_PATH].text = "vector";
    values[MAP_PARAM_LEVEL].uint = probe->level;
    values[MAP_PARAM_BYTES].uint = (uint64_t)probe->bytes / probe->grain * probe->grain;
    values[MAP_PARAM_CHAIN].text = plan->chain;
    values[MAP_PARAM_PITCH].uint = probe->pitch;
    values[MAP_PARAM_CLOCK].uint = (uint64_t)probe->clock_hz;
    struct bench_case *point = ARENA_NEW(plan->arena, struct bench_case);
    *point = (struct bench_case){.values = values,
                                 .value_count = MAP_PARAM_CHAINS + (probe->clock_hz > 0)};
    if (values[MAP_PARAM_BYTES].uint >= 2 * probe->pitch)
        add_case(plan, plan->map, point);
}

static void plan_lines(struct map_plan *plan, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++)
        for (size_t i = 0; i < lines_plan_count; i++)
            add_probe(plan,
                      &(struct probe){.what = MAP_PROBE,
                                      .level = k + 1,
                                      .bytes = exp2(curve->fit.steps[k].end) * lines_plan[i].region,
                                      .pitch = (uint64_t)lines_plan[i].pitch,
                                      .grain = GRAIN_BYTES});
}

// How many lines meet in a set. Sets of large caches are chosen by a hash, and not asked.
static void plan_ways(struct map_plan *plan, const struct map_level *level, size_t number)
{
    uint64_t pitch = map_ways_pitch(level->end);
    if (is_cpu(plan) || level->end > (double)WAYS_BYTES)
        return;
    for (size_t i = 0; i < map_ways_count; i++)
        if (pitch * map_ways_plan[i] <= plan->largest)
            add_probe(plan, &(struct probe){.what = MAP_WAYS,
                                            .level = number,
                                            .bytes = (double)(pitch * map_ways_plan[i]),
                                            .pitch = pitch,
                                            .grain = pitch});
}

static void plan_sharers(struct map_plan *plan, const struct map_level *level, size_t number)
{
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    const gpu_caps needed = GPU_CAP(CORE_CLOCK) | GPU_CAP(CORE_ID);
    if ((plan->device->caps & needed) != needed)
        return;
    size_t count = map_sharers_plan(level, (unsigned)plan->device->limits.cores,
                                    map_sharers_most(level), probes);
    for (size_t i = 0; i < count; i++)
        add_probe(plan, &(struct probe){.what = MAP_NEIGHBOURS,
                                        .level = number,
                                        .bytes = probes[i].region,
                                        .pitch = NODE_BYTES,
                                        .grain = NODE_BYTES});
}

static void plan_each_level(struct map_plan *plan, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        const struct map_level level = map_level_of(curve, k);
        plan_ways(plan, &level, k + 1);
        plan_sharers(plan, &level, k + 1);
    }
}

// Loads of shared memory by threads that are powers of two apart, and three.
static void plan_banks(struct map_plan *plan)
{
    static const char *const texts[] = {"pattern=banks", "stride=1,2,3,4,8,16,32,64,128"};
    if (plan->strides && !is_cpu(plan))
        add_chosen(plan, plan->strides, texts, sizeof texts / sizeof *texts);
}

// Around the first end of translation, as map_pages_plan has them.
static void plan_pages(struct map_plan *plan, const struct level_curve *curve)
{
    double reach = curve ? map_translation_end(curve) : 0;
    struct map_pages_probe probes[MAP_PAGES_PROBES];
    size_t count = 0;
    if (reach > 0)
        count = map_pages_plan(reach, map_pages_most(plan->device), probes);
    for (size_t i = 0; i < count; i++)
        add_probe(plan, &(struct probe){.what = MAP_PAGES,
                                        .level = 1,
                                        .bytes = probes[i].region,
                                        .pitch = probes[i].page,
                                        .grain = probes[i].page});
}

// In each level and behind them, by each of the clocks.
static void plan_clocks(struct map_plan *plan, const struct level_curve *curve)
{
    struct map_clocks_probe probes[MAP_CLOCKS_PROBES];
    size_t count = curve && plan->clock_count ? map_clocks_plan(curve, probes) : 0;
    for (size_t i = 0; i < count * plan->clock_count; i++)
        add_probe(plan, &(struct probe){.what = MAP_CLOCKS,
                                        .level = probes[i / plan->clock_count].level,
                                        .bytes = probes[i / plan->clock_count].region,
                                        .pitch = NODE_BYTES,
                                        .grain = GRAIN_BYTES,
                                        .clock_hz = plan->clocks_hz[i % plan->clock_count]});
}

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

static void add_bandwidth(struct map_plan *plan, const char *scope, bool apart, uint64_t bytes)
{
    const char *const texts[] = {
        "op=read",
        "path=global",
        "width=16",
        "type=float",
        "shape=best",
        arena_printf(plan->arena, "scope=%s", scope),
        apart ? "access=apart" : "access=same",
        arena_printf(plan->arena, "bytes=%" PRIu64,
                     round_up(bytes, apart ? APART_GRAIN : SAME_GRAIN)),
    };
    add_chosen(plan, plan->bandwidth, texts, sizeof texts / sizeof *texts);
}

static uint64_t round_within(const struct map_plan *plan, double from, double end)
{
    unsigned cores = plan->limits.cores ? plan->limits.cores : CORES_UNKNOWN;
    double least = fmax((double)APART_BYTES * cores, 1.5 * from), middle = sqrt(from * end);
    return round_up(round_down(middle > least ? middle : 1.25 * least), APART_GRAIN);
}

// In the middle of a level; where every core can read a part of its own.
static void plan_level_bandwidth(struct map_plan *plan, double from, double end, bool first)
{
    if (first)
        add_bandwidth(plan, "device", false, round_down(sqrt(from * end)));
    else if ((double)round_within(plan, from, end) < 0.9 * end)
        add_bandwidth(plan, "device", true, round_within(plan, from, end));
    add_bandwidth(plan, "workgroup", false, round_down(sqrt(from * end)));
}

// Of each level, and well behind the last.
static void plan_bandwidth(struct map_plan *plan, const struct level_curve *curve)
{
    double from = 4096;
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        double end = exp2(curve->fit.steps[k].end);
        plan_level_bandwidth(plan, from, end, k == 0);
        from = end;
    }
    if (!curve || !curve->fit.decided)
        return;
    double behind = fmin(16 * from, is_cpu(plan) ? (double)CPU_BYTES : (double)MEMORY_BYTES);
    if (plan->device->limits.memory_bytes)
        behind = fmin(behind, (double)plan->device->limits.memory_bytes / 2);
    add_bandwidth(plan, "device", true, round_down(behind));
    add_bandwidth(plan, "workgroup", false, round_down(behind));
}

static void plan_paths(struct map_plan *plan)
{
    add_latency(plan, "constant", "random", "1KiB..max/4");
    if (is_cpu(plan))
        return; // all paths of a CPU are the same loads
    const char *sizes = arena_printf(plan->arena, "16KiB..%" PRIu64 "/4", 2 * last_cache(plan));
    add_latency(plan, "texel", "random", sizes);
    if (plan->device->vendor_id == VENDOR_AMD) // elsewhere it is the vector path, all lanes alike
        add_latency(plan, "scalar", "random", sizes);
}

static void plan_code(struct map_plan *plan, const struct level_curve *curve)
{
    struct bench_case *cases[MAP_CODE_LENGTHS_MAX];
    size_t count = map_code_plan(plan->arena, plan->device, &plan->map->info, curve, cases);
    for (size_t i = 0; i < count; i++)
        add_case(plan, plan->map, cases[i]);
}

static void plan_stage(struct map_plan *plan, const struct run *run)
{
    struct arena *scratch = arena_create();
    struct level_curves all = levels_of(scratch, run, plan->device->id);
    const struct level_curve *vector = curve_of(&all, "random");
    const struct level_curve code = map_code_curve(scratch, run, plan->device->id);
    switch (plan->stage++) {
    case STAGE_COARSE:
        plan_coarse(plan);
        break;
    case STAGE_KNEES:
    case STAGE_KNEES_AGAIN:
        plan_knees(plan, vector, "random", GRAIN_BYTES);
        break;
    case STAGE_LINES:
        plan_lines(plan, vector);
        break;
    case STAGE_SHARERS:
        plan_each_level(plan, vector);
        break;
    case STAGE_BANDWIDTH:
        plan_bandwidth(plan, vector);
        break;
    case STAGE_TLB:
        if (!is_cpu(plan)) // whose page size the operating system chooses
            add_latency(plan, "vector", "page",
                        arena_printf(plan->arena, "%" PRIu64 "..%.0f/2", PAGES_BYTES,
                                     map_pages_most(plan->device)));
        break;
    case STAGE_TLB_KNEES:
        plan_knees(plan, curve_of(&all, "page"), "page", PAGE_BYTES);
        break;
    case STAGE_PAGES:
        plan_pages(plan, curve_of(&all, "page"));
        break;
    case STAGE_PATHS:
        plan_paths(plan);
        break;
    case STAGE_SHARED:
        add_latency(plan, "shared", "random", "4KiB,16KiB,max");
        plan_banks(plan);
        break;
    case STAGE_CODE:
    case STAGE_CODE_KNEES:
    case STAGE_CODE_KNEES_AGAIN:
        plan_code(plan, &code);
        break;
    case STAGE_CLOCKS:
        plan_clocks(plan, vector);
        break;
    case STAGE_END:
        break;
    }
    arena_destroy(scratch);
}

// ---------------------------------------------------------------- the plan

static enum plan_step map_next(struct plan *base, const struct run *so_far, struct plan_case *next)
{
    struct map_plan *plan = (struct map_plan *)base;
    bool full = plan->block == PLAN_BLOCK_CASES, through = plan->at == plan->count;
    if (plan->block && (full || through)) {
        plan->block = 0;
        return PLAN_PAUSE;
    }
    while (plan->at == plan->count && plan->stage < STAGE_END)
        plan_stage(plan, so_far);
    if (plan->at == plan->count)
        return PLAN_END;
    plan->block++;
    *next = plan->cases[plan->at++];
    return PLAN_CASE;
}

static size_t map_left(const struct plan *base, const struct benchmark *benchmark)
{
    const struct map_plan *plan = (const struct map_plan *)base;
    size_t left = 0;
    for (size_t i = plan->at; i < plan->count; i++)
        left += plan->cases[i].benchmark == benchmark;
    return left;
}

struct plan *plan_map_create(struct arena *arena, const struct gpu_info *device, struct error *err)
{
    struct map_plan *plan = ARENA_NEW(arena, struct map_plan);
    *plan = (struct map_plan){.arena = arena,
                              .device = device,
                              .latency = benchmark_find("latency"),
                              .bandwidth = benchmark_find("bandwidth"),
                              .map = benchmark_find("map"),
                              .strides = benchmark_find("strides")};
    if (!plan->latency || !plan->bandwidth || !plan->map) {
        error_set(err, ERROR_INTERNAL, "map needs the benchmarks latency, bandwidth and map");
        return NULL;
    }
    measure_limits_of(device, &plan->limits);
    gpu_caps wanted = GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    plan->chain = (device->caps & wanted) == wanted ? "pointer" : "index";
    const char *const texts[] = {"path=vector", arena_printf(arena, "chain=%s", plan->chain),
                                 "order=random", "bytes=1MiB..max"};
    plan->largest = map_cases_largest(
        &(struct map_cases){arena, device, plan->latency, texts, sizeof texts / sizeof *texts},
        "bytes");
    plan->plan = (struct plan){.next = map_next, .left = map_left};
    plan_stage(plan, &(struct run){.arena = arena});
    plan->plan.total = plan->count;
    return &plan->plan;
}

void plan_map_ask_clocks(struct plan *plan, const double *hz, size_t count)
{
    struct map_plan *map = (struct map_plan *)plan;
    map->clocks_hz = hz;
    map->clock_count = count;
}
