// SPDX-License-Identifier: MIT
#include "map/map.h"

#include "analysis/levels.h"
#include "analysis/lines.h"
#include "bench/map.h"
#include "map/cases.h"
#include "map/clocks.h"
#include "map/code.h"
#include "map/judge.h"
#include "map/levels.h"
#include "map/pages.h"
#include "map/questions.h"

#include <inttypes.h>
#include <math.h>

const char *const map_benchmarks[MAP_BENCHMARKS_MAX] = {"latency", "bandwidth", "map", "strides",
                                                        NULL};

enum {
    KNEE_POINTS = 10
};

// An end known to this many octaves (3 %) is not asked about again.
static const double knee_octaves = 0.045;
#define PAGES_BYTES (UINT64_C(16) << 20) // where chains over pages begin

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
    struct map_questions ask;
    enum stage stage; // whose cases come next
    size_t at;
    bool unseen; // cases were handed out since the last pause
};

// ---------------------------------------------------------------- the stages

static void plan_coarse(struct map_questions *ask)
{
    const char *sizes = map_cases_coarse(ask->arena, map_last_cache_bytes(ask), ask->largest);
    if (map_questions_of_cpu(ask))
        sizes = arena_printf(ask->arena, "4KiB..%" PRIu64 "/3", MAP_CPU_BYTES);
    map_ask_latency(ask, "vector", "random", sizes);
}

static const struct level_curve *curve_of(const struct level_curves *all, const char *order)
{
    const struct level_curve *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct bench_case *bench_case = &all->curves[i].results[0]->bench_case;
        if (case_says(bench_case, "path", "vector") && case_says(bench_case, "order", order))
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
static void plan_knees(struct map_questions *ask, const struct level_curve *curve,
                       const char *order, uint64_t grain)
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
            sizes = arena_printf(ask->arena, "%s%s%" PRIu64, sizes, *sizes ? "," : "", bytes);
        }
    }
    if (*sizes)
        map_ask_latency(ask, "vector", order, sizes);
}

static void plan_lines(struct map_questions *ask, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++)
        for (size_t i = 0; i < lines_plan_count; i++)
            map_ask_probe(ask, &(struct map_question_probe){.what = MAP_PROBE,
                                                            .level = k + 1,
                                                            .bytes = exp2(curve->fit.steps[k].end) *
                                                                     lines_plan[i].region,
                                                            .pitch = (uint64_t)lines_plan[i].pitch,
                                                            .grain = MAP_GRAIN_BYTES});
}

// How many lines meet in a set. Sets of large caches are chosen by a hash, and not asked.
static void plan_ways(struct map_questions *ask, const struct map_level *level, size_t number)
{
    uint64_t pitch = map_ways_pitch(level->end);
    if (map_questions_of_cpu(ask) || pitch > MAP_WAYS_PITCH_MOST)
        return;
    for (size_t i = 0; i < map_ways_count; i++)
        if (pitch * map_ways_plan[i] <= ask->largest)
            map_ask_probe(ask,
                          &(struct map_question_probe){.what = MAP_WAYS,
                                                       .level = number,
                                                       .bytes = (double)(pitch * map_ways_plan[i]),
                                                       .pitch = pitch,
                                                       .grain = pitch});
}

static void plan_sharers(struct map_questions *ask, const struct map_level *level, size_t number)
{
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    const gpu_caps needed = GPU_CAP(CORE_CLOCK) | GPU_CAP(CORE_ID);
    if ((ask->device->caps & needed) != needed)
        return;
    size_t count = map_sharers_plan(level, (unsigned)ask->device->limits.cores,
                                    map_sharers_most(level), probes);
    for (size_t i = 0; i < count; i++)
        map_ask_probe(ask, &(struct map_question_probe){.what = MAP_NEIGHBOURS,
                                                        .level = number,
                                                        .bytes = probes[i].region,
                                                        .pitch = MAP_NODE_BYTES,
                                                        .grain = MAP_NODE_BYTES});
}

static void plan_each_level(struct map_questions *ask, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        const struct map_level level = map_level_of(curve, k);
        plan_ways(ask, &level, k + 1);
        plan_sharers(ask, &level, k + 1);
    }
}

// Loads of shared memory by threads that are powers of two apart, and three.
static void plan_banks(struct map_questions *ask)
{
    static const char *const texts[] = {"pattern=banks", "stride=1,2,3,4,8,16,32,64,128"};
    if (ask->strides && !map_questions_of_cpu(ask))
        map_ask_chosen(ask, ask->strides, texts, sizeof texts / sizeof *texts);
}

// Around the first end of translation, as map_pages_plan has them.
static void plan_pages(struct map_questions *ask, const struct level_curve *curve)
{
    double reach = curve ? map_translation_end(curve) : 0;
    struct map_pages_probe probes[MAP_PAGES_PROBES];
    const char *why;
    size_t count = map_pages_plan(reach, map_pages_most(ask->device), probes, &why);
    for (size_t i = 0; i < count; i++)
        map_ask_probe(ask, &(struct map_question_probe){.what = MAP_PAGES,
                                                        .level = 1,
                                                        .bytes = probes[i].region,
                                                        .pitch = probes[i].page,
                                                        .grain = probes[i].page});
}

// In each level and behind them, by each of the clocks.
static void plan_clocks(struct map_plan *plan, const struct level_curve *curve)
{
    struct map_clocks_probe probes[MAP_CLOCKS_PROBES];
    size_t clocks = plan->plan.clock_count;
    size_t count = curve && clocks ? map_clocks_plan(curve, probes) : 0;
    for (size_t i = 0; i < count * clocks; i++)
        map_ask_probe(&plan->ask,
                      &(struct map_question_probe){.what = MAP_CLOCKS,
                                                   .level = probes[i / clocks].level,
                                                   .bytes = probes[i / clocks].region,
                                                   .pitch = MAP_NODE_BYTES,
                                                   .grain = MAP_GRAIN_BYTES,
                                                   .clock_hz = plan->plan.clocks_hz[i % clocks]});
}

// Of each level, and well behind the last.
static void plan_bandwidth(struct map_questions *ask, const struct level_curve *curve)
{
    double from = 4096;
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        double end = exp2(curve->fit.steps[k].end);
        map_ask_level_bandwidth(ask, from, end, k == 0);
        from = end;
    }
    if (curve && curve->fit.decided)
        map_ask_memory_bandwidth(ask, from);
}

static void plan_paths(struct map_questions *ask)
{
    map_ask_latency(ask, "constant", "random", "1KiB..max/4");
    if (map_questions_of_cpu(ask))
        return; // all paths of a CPU are the same loads
    const char *sizes =
        arena_printf(ask->arena, "16KiB..%" PRIu64 "/4", 2 * map_last_cache_bytes(ask));
    map_ask_latency(ask, "texel", "random", sizes);
    // Elsewhere it is the vector path, all lanes alike.
    if (ask->device->vendor_id == GPU_VENDOR_AMD)
        map_ask_latency(ask, "scalar", "random", sizes);
}

static void plan_code(struct map_questions *ask, const struct level_curve *curve)
{
    struct bench_case *cases[MAP_CODE_LENGTHS_MAX];
    size_t count = map_code_plan(ask->arena, ask->device, &ask->map->info, curve, cases);
    for (size_t i = 0; i < count; i++)
        map_ask_case(ask, ask->map, cases[i]);
}

static void plan_stage(struct map_plan *plan, const struct run *run)
{
    struct map_questions *ask = &plan->ask;
    struct arena *scratch = arena_create();
    struct level_curves all = levels_of(scratch, run, ask->device->id);
    const struct level_curve *vector = curve_of(&all, "random");
    const struct level_curve code = map_code_curve(scratch, run, ask->device->id);
    switch (plan->stage++) {
    case STAGE_COARSE:
        plan_coarse(ask);
        break;
    case STAGE_KNEES:
    case STAGE_KNEES_AGAIN:
        plan_knees(ask, vector, "random", MAP_GRAIN_BYTES);
        break;
    case STAGE_LINES:
        plan_lines(ask, vector);
        break;
    case STAGE_SHARERS:
        plan_each_level(ask, vector);
        break;
    case STAGE_BANDWIDTH:
        plan_bandwidth(ask, vector);
        break;
    case STAGE_TLB:
        if (!map_questions_of_cpu(ask)) // whose page size the operating system chooses
            map_ask_latency(ask, "vector", "page",
                            arena_printf(ask->arena, "%" PRIu64 "..%.0f/2", PAGES_BYTES,
                                         map_pages_most(ask->device)));
        break;
    case STAGE_TLB_KNEES:
        plan_knees(ask, curve_of(&all, "page"), "page", MAP_PAGE_BYTES);
        break;
    case STAGE_PAGES:
        plan_pages(ask, curve_of(&all, "page"));
        break;
    case STAGE_PATHS:
        plan_paths(ask);
        break;
    case STAGE_SHARED:
        map_ask_latency(ask, "shared", "random", "4KiB,16KiB,max");
        plan_banks(ask);
        break;
    case STAGE_CODE:
    case STAGE_CODE_KNEES:
    case STAGE_CODE_KNEES_AGAIN:
        plan_code(ask, &code);
        break;
    case STAGE_CLOCKS:
        plan_clocks(plan, vector);
        break;
    case STAGE_END:
        break;
    }
    plan->plan.total = ask->count;
    arena_destroy(scratch);
}

// ---------------------------------------------------------------- the plan

static enum plan_step map_next(struct plan *base, const struct run *so_far, struct plan_case *next)
{
    struct map_plan *plan = (struct map_plan *)base;
    if (plan->unseen && plan->at == plan->ask.count) {
        plan->unseen = false;
        return PLAN_PAUSE;
    }
    while (plan->at == plan->ask.count && plan->stage < STAGE_END)
        plan_stage(plan, so_far);
    if (plan->at == plan->ask.count)
        return PLAN_END;
    plan->unseen = true;
    *next = plan->ask.cases[plan->at++];
    return PLAN_CASE;
}

static size_t map_left(const struct plan *base, const struct benchmark *benchmark)
{
    const struct map_plan *plan = (const struct map_plan *)base;
    size_t left = 0;
    for (size_t i = plan->at; i < plan->ask.count; i++)
        left += plan->ask.cases[i].benchmark == benchmark;
    return left;
}

static void map_conclude(const struct plan *base, struct run *run)
{
    map_add_results(run, ((const struct map_plan *)base)->ask.device);
}

struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err)
{
    struct map_plan *plan = ARENA_NEW(arena, struct map_plan);
    plan->plan = (struct plan){.next = map_next, .left = map_left, .conclude = map_conclude};
    if (!map_read_clocks(arena, request, &plan->plan.clocks_hz, &plan->plan.clock_count, err) ||
        !map_questions_init(&plan->ask, arena, device, err))
        return NULL;
    plan_stage(plan, run);
    return &plan->plan;
}
