// SPDX-License-Identifier: MIT
#include "map/map.h"

#include "analysis/levels.h"
#include "bench/map.h"
#include "map/cases.h"
#include "map/judge.h"
#include "map/lines.h"
#include "map/parts.h"

#include <inttypes.h>
#include <math.h>

const char *const map_benchmarks[] = {"latency", "bandwidth", "map", "strides", NULL};

enum {
    KNEE_POINTS = 10
};

// An end known to this many octaves (3 %) needs no more sizes.
static const double knee_octaves = 0.045;

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
    struct plan plan; // must be first: map_next() casts to map_plan
    struct map_cases cases;
    enum stage stage; // the stage whose cases come next
    size_t at;
    bool unseen; // true: cases were returned since the last pause
};

// ---------------------------------------------------------------- the stages

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

// One more than the number of ends that may need more sizes: the ends of flat levels that another
// level follows.
static size_t levels_to_refine(const struct plateaus *fit)
{
    return fit->flat < fit->count ? fit->flat + 1 : fit->count;
}

// Adds KNEE_POINTS sizes about each end that is not known to 3 %: across its interval and 0.03
// octaves on both sides.
static void plan_knees(struct map_cases *cases, const struct level_curve *curve, const char *order,
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
            sizes = arena_printf(cases->arena, "%s%s%" PRIu64, sizes, *sizes ? "," : "", bytes);
        }
    }
    if (*sizes)
        map_cases_add_latency(cases, "vector", order, sizes);
}

static void plan_lines(struct map_cases *cases, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++)
        for (size_t i = 0; i < lines_plan_count; i++)
            map_cases_add_chain(cases, &(struct map_chain){.what = MAP_PROBE,
                                                           .level = k + 1,
                                                           .bytes = exp2(curve->fit.steps[k].end) *
                                                                    lines_plan[i].region,
                                                           .stride = (uint64_t)lines_plan[i].stride,
                                                           .grain = MAP_GRAIN_BYTES});
}

// Large caches select their sets by a hash, so their ways are not probed.
static void plan_ways(struct map_cases *cases, const struct map_level *level, size_t number)
{
    uint64_t stride = map_ways_stride(level->end);
    if (map_cases_of_cpu(cases) || stride > MAP_WAYS_STRIDE_MOST)
        return;
    for (size_t i = 0; i < map_ways_count; i++)
        if (stride * map_ways_plan[i] <= cases->largest)
            map_cases_add_chain(cases,
                                &(struct map_chain){.what = MAP_WAYS,
                                                    .level = number,
                                                    .bytes = (double)(stride * map_ways_plan[i]),
                                                    .stride = stride,
                                                    .grain = stride});
}

static void plan_sharers(struct map_cases *cases, const struct map_level *level, size_t number)
{
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    const gpu_caps needed = GPU_CAP(CORE_CLOCK) | GPU_CAP(CORE_ID);
    if ((cases->device->caps & needed) != needed)
        return;
    size_t count = map_sharers_plan(level, (unsigned)cases->device->limits.cores,
                                    map_sharers_most(level), probes);
    for (size_t i = 0; i < count; i++)
        map_cases_add_chain(cases, &(struct map_chain){.what = MAP_NEIGHBOURS,
                                                       .level = number,
                                                       .bytes = probes[i].region,
                                                       .stride = MAP_NODE_BYTES,
                                                       .grain = MAP_NODE_BYTES});
}

static void plan_each_level(struct map_cases *cases, const struct level_curve *curve)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        const struct map_level level = map_level_of(curve, k);
        plan_ways(cases, &level, k + 1);
        plan_sharers(cases, &level, k + 1);
    }
}

// Adds loads of shared memory by threads 1, 2, 3, 4, 8 … words apart.
static void plan_banks(struct map_cases *cases)
{
    static const char *const texts[] = {"pattern=banks", "stride=1,2,3,4,8,16,32,64,128"};
    if (!map_cases_of_cpu(cases))
        map_cases_add_chosen(cases, cases->strides, texts, sizeof texts / sizeof *texts);
}

static void plan_bandwidth(struct map_cases *cases, const struct level_curve *curve,
                           const struct run *run, struct arena *scratch)
{
    struct map_size sizes[PLATEAUS_MAX];
    const struct map_writer reader = {.run = (struct run *)run, // nothing is written
                                      .scratch = scratch,
                                      .device = cases->device,
                                      .info = &cases->map->info,
                                      .limits = cases->limits};
    if (curve)
        map_level_sizes(&reader, curve, sizes);
    map_bandwidth_add_cases(cases, curve, sizes);
}

static void plan_paths(struct map_cases *cases)
{
    map_cases_add_latency(cases, "constant", "random", "1KiB..max/4");
    if (map_cases_of_cpu(cases))
        return; // a CPU has one path
    const char *sizes =
        arena_printf(cases->arena, "16KiB..%" PRIu64 "/4", 2 * map_cases_last_cache(cases));
    map_cases_add_latency(cases, "texel", "random", sizes);
    // On other devices the scalar path is the vector path with all lanes alike.
    if (cases->device->vendor_id == GPU_VENDOR_AMD)
        map_cases_add_latency(cases, "scalar", "random", sizes);
}

static void plan_stage(struct map_plan *plan, const struct run *run)
{
    struct map_cases *cases = &plan->cases;
    struct arena *scratch = arena_create();
    struct level_curves all = levels_of(scratch, run, cases->device->id);
    const struct level_curve *vector = curve_of(&all, "random");
    const struct level_curve code = map_code_curve(scratch, run, cases->device->id);
    switch (plan->stage++) {
    case STAGE_COARSE:
        map_cases_add_latency(cases, "vector", "random", map_cases_coarse_sizes(cases));
        break;
    case STAGE_KNEES:
    case STAGE_KNEES_AGAIN:
        plan_knees(cases, vector, "random", MAP_GRAIN_BYTES);
        break;
    case STAGE_LINES:
        plan_lines(cases, vector);
        break;
    case STAGE_SHARERS:
        plan_each_level(cases, vector);
        break;
    case STAGE_BANDWIDTH:
        plan_bandwidth(cases, vector, run, scratch);
        break;
    case STAGE_TLB:
        map_translation_add_cases(cases);
        break;
    case STAGE_TLB_KNEES:
        plan_knees(cases, curve_of(&all, "page"), "page", MAP_PAGE_BYTES);
        break;
    case STAGE_PAGES:
        map_pages_add_cases(cases, curve_of(&all, "page"));
        break;
    case STAGE_PATHS:
        plan_paths(cases);
        break;
    case STAGE_SHARED:
        map_cases_add_latency(cases, "shared", "random", "4KiB,16KiB,max");
        plan_banks(cases);
        break;
    case STAGE_CODE:
    case STAGE_CODE_KNEES:
    case STAGE_CODE_KNEES_AGAIN:
        map_code_add_cases(cases, &code);
        break;
    case STAGE_CLOCKS:
        map_clocks_add_cases(cases, vector, plan->plan.clocks_hz, plan->plan.clock_count);
        break;
    case STAGE_END:
        break;
    }
    plan->plan.total = cases->count;
    arena_destroy(scratch);
}

// ---------------------------------------------------------------- the plan

static enum plan_step map_next(struct plan *base, const struct run *so_far, struct plan_case *next)
{
    struct map_plan *plan = (struct map_plan *)base;
    if (plan->unseen && plan->at == plan->cases.count) {
        plan->unseen = false;
        return PLAN_PAUSE;
    }
    while (plan->at == plan->cases.count && plan->stage < STAGE_END)
        plan_stage(plan, so_far);
    if (plan->at == plan->cases.count)
        return PLAN_END;
    plan->unseen = true;
    *next = plan->cases.at[plan->at++];
    return PLAN_CASE;
}

static size_t map_left(const struct plan *base, const struct benchmark *benchmark)
{
    const struct map_plan *plan = (const struct map_plan *)base;
    size_t left = 0;
    for (size_t i = plan->at; i < plan->cases.count; i++)
        left += plan->cases.at[i].benchmark == benchmark;
    return left;
}

static void map_conclude(const struct plan *base, struct run *run)
{
    map_add_results(run, ((const struct map_plan *)base)->cases.device);
}

struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err)
{
    struct map_plan *plan = ARENA_NEW(arena, struct map_plan);
    plan->plan = (struct plan){.next = map_next, .left = map_left, .conclude = map_conclude};
    if (!map_clocks_read(arena, request, &plan->plan.clocks_hz, &plan->plan.clock_count, err) ||
        !map_cases_init(&plan->cases, arena, device, err))
        return NULL;
    plan_stage(plan, run);
    return &plan->plan;
}
