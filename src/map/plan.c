// SPDX-License-Identifier: MIT
#include "map/map.h"

#include "analysis/levels.h"
#include "bench/map.h"
#include "map/caches.h"
#include "map/cases.h"
#include "map/judge.h"
#include "map/lines.h"
#include "map/parts.h"
#include "map/steps.h"

#include <inttypes.h>
#include <math.h>

const char *const map_benchmarks[] = {"latency", "bandwidth", "map", "strides", NULL};

enum {
    KNEE_POINTS = 10, // number of chains added around the end of a level
    SIZE_POINTS = 4   // number of chains added within the interval of a level's capacity
};

// An end whose interval is narrower than this number of octaves (3 %) needs no more region sizes.
static const double knee_octaves = 0.045;

struct map_plan {
    // Must be the first member, because map_next() casts struct plan to struct map_plan.
    struct plan plan;
    struct map_cases cases;
    // index of the next element of `stages`, and number of elements that are used
    size_t stage, stage_count;
    size_t at;
    // The last fit to the latency curve of vector loads. The next fit starts from it.
    struct staircase fit;
    // True if map_next returned cases after its last PLAN_PAUSE. Their results may be missing.
    bool unseen;
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

// Returns 1 + the number of levels whose ends may need more region sizes; 0 if the curve has no
// levels. (The last level has no end. With the 1, the unsigned result cannot become negative.)
static size_t levels_to_refine(const struct plateaus *fit)
{
    return fit->flat < fit->count ? fit->flat + 1 : fit->count;
}

static void plan_coarse(const struct map_look *look)
{
    map_cases_add_latency(look->cases, "vector", "random", map_cases_coarse_sizes(look->cases));
}

// Adds KNEE_POINTS region sizes of chains over pages around each end that is not known to 3 %.
static void plan_knees(const struct map_look *look)
{
    struct map_cases *cases = look->cases;
    const struct level_curve *curve = look->pages;
    const char *sizes = "";
    for (size_t k = 0; curve && k + 1 < levels_to_refine(&curve->fit); k++) {
        const struct plateaus_step *step = &curve->fit.steps[k];
        if (step->end_high - step->end_low < knee_octaves)
            continue;
        double from = step->end_low - 0.03, to = step->end_high + 0.03;
        for (int i = 0; i < KNEE_POINTS; i++) {
            double octave = from + (to - from) * i / (KNEE_POINTS - 1);
            uint64_t bytes = (uint64_t)exp2(octave) / MAP_PAGE_BYTES * MAP_PAGE_BYTES;
            sizes = arena_printf(cases->arena, "%s%s%" PRIu64, sizes, *sizes ? "," : "", bytes);
        }
    }
    if (*sizes)
        map_cases_add_latency(cases, "vector", "page", sizes);
}

// Adds KNEE_POINTS region sizes across the rise at each step of the latency curve. The second time,
// skips each step whose end is known to 3 % (without STAIRCASE_MARGIN).
static void plan_steps(const struct map_look *look)
{
    struct map_cases *cases = look->cases;
    const struct map_steps *steps = &look->caches->steps;
    const bool again = look->again;
    const char *sizes = "";
    for (size_t k = 0; k < steps->all.count; k++) {
        const struct staircase_step *step = &steps->all.steps[k];
        if (again && step->end_high - step->end_low < 2 * STAIRCASE_MARGIN + knee_octaves)
            continue;
        double from = step->end - 1, to = step->end + 1;
        while (step_shapes_share(steps->shapes, step->shape, from - step->end) < 0.02)
            from += 1.0 / 32;
        while (step_shapes_share(steps->shapes, step->shape, to - step->end) > 0.9)
            to -= 1.0 / 32;
        from = fmin(from, step->end_low) - 0.04;
        to = fmax(to, step->end_high) + 0.04;
        for (int i = 0; i < KNEE_POINTS; i++) {
            double octave = from + (to - from) * (i + (again ? 0.5 : 0)) / (KNEE_POINTS - 1);
            uint64_t bytes = (uint64_t)exp2(octave) / MAP_GRAIN_BYTES * MAP_GRAIN_BYTES;
            if (bytes >= 1024 && bytes <= cases->largest)
                sizes = arena_printf(cases->arena, "%s%s%" PRIu64, sizes, *sizes ? "," : "", bytes);
        }
    }
    if (*sizes)
        map_cases_add_latency(cases, "vector", "random", sizes);
}

// Adds a probe for step k of the latency curve: a chain over `bytes` bytes with this stride.
static void add_probe(const struct map_look *look, size_t k, double bytes, double stride)
{
    map_cases_add_chain(look->cases, &(struct map_chain){.what = MAP_PROBE,
                                                         .level = k + 1,
                                                         .bytes = bytes,
                                                         .stride = (uint64_t)stride});
}

// Adds probes for step k that the run lacks. Regions of `chains` are multiples of the step's end.
static void add_missing(const struct map_look *look, size_t k, const struct lines_chain *chains,
                        size_t count)
{
    const struct map_steps *steps = &look->caches->steps;
    for (size_t i = 0; i < count; i++) {
        const struct lines_chain chain = {chains[i].region * exp2(steps->all.steps[k].end),
                                          chains[i].stride};
        if (!map_caches_probe_near(steps, &chain))
            add_probe(look, k, chain.region, chain.stride);
    }
}

// Adds the probes for the line at each step, except probes that the run already has. Probes may
// move the steps, so a second call adds the probes that are then missing. At a step that may be a
// cache or a TLB, the second call also adds chains over few lines on many pages.
static void plan_lines(const struct map_look *look)
{
    static const struct lines_chain undecided[] = {
        {1.5, 1696}, {3.2, 1696}, {6.5, 1696}, {9.2, 1696}};
    const struct map_steps *steps = &look->caches->steps;
    for (size_t k = 0; k < steps->all.count; k++)
        add_missing(look, k, lines_plan, lines_plan_count);
    for (size_t k = 0; look->again && k < steps->all.count; k++)
        if (steps->kinds[k] == STEP_UNKNOWN)
            add_missing(look, k, undecided, COUNT(undecided));
}

// For each level whose line is known and is not MAP_NODE_BYTES, adds chains with one node in each
// line. If a hash chooses the sets, only such chains show the capacity.
static void plan_sizes(const struct map_look *look)
{
    const struct map_caches *caches = look->caches;
    const struct map_steps *steps = &caches->steps;
    for (size_t k = 0; k + 1 < steps->curve.fit.flat; k++) {
        const struct lines_answer *line = &caches->lines[k];
        if (line->line == 0 || line->line == MAP_NODE_BYTES)
            continue;
        double size = map_caches_size_about(caches, k);
        for (size_t i = 0; i < map_caches_region_count; i++)
            add_probe(look, steps->step[k], size * map_caches_regions[i], line->line);
        add_probe(look, steps->step[k], 0.75 * size, LINES_MIN_BYTES);
        // Also adds chains that show the sector of the cache: they have several nodes in each line,
        // and regions larger than the cache.
        for (unsigned stride = LINES_MIN_BYTES; stride < line->line; stride *= 2)
            for (int i = 0; i < 3; i++)
                add_probe(look, steps->step[k], (1.5 + 0.5 * i) * size, stride);
    }
}

// Adds more chains within the interval of each capacity that chains with one node in each line
// found. Where the latency rises slowly, the interval would stay wide anyway.
static void plan_sizes_again(const struct map_look *look)
{
    const struct map_caches *caches = look->caches;
    for (size_t k = 0; k + 1 < caches->steps.curve.fit.flat; k++) {
        const struct staircase_step *size = &caches->sizes[k];
        double from = size->end_low + STAIRCASE_MARGIN, to = size->end_high - STAIRCASE_MARGIN;
        if (!caches->sized[k] || step_shape_is_slow(size->shape) || to - from < knee_octaves)
            continue;
        for (int i = 0; i < SIZE_POINTS; i++)
            add_probe(look, caches->steps.step[k],
                      exp2(from + (to - from) * (i + 0.5) / SIZE_POINTS), caches->lines[k].line);
    }
}

// Adds chains over few pages at a time, but not on a CPU, which would prefetch them.
static void plan_local(const struct map_look *look)
{
    struct map_cases *cases = look->cases;
    const struct map_caches *caches = look->caches;
    double regions[MAP_LOCAL_POINTS];
    for (size_t k = 0; k < caches->steps.curve.fit.count && !map_cases_of_cpu(cases); k++) {
        size_t count = map_level_local_regions(caches, k, regions);
        for (size_t i = 0; i < count && regions[i] <= (double)cases->largest; i++)
            map_cases_add_chain(cases, &(struct map_chain){.what = MAP_LOCAL,
                                                           .level = k + 1,
                                                           .bytes = regions[i],
                                                           .stride = MAP_NODE_BYTES});
    }
}

static void add_way(struct map_cases *cases, size_t number, uint64_t stride, unsigned nodes)
{
    if (stride * nodes <= cases->largest)
        map_cases_add_chain(cases, &(struct map_chain){.what = MAP_WAYS,
                                                       .level = number,
                                                       .bytes = (double)(stride * nodes),
                                                       .stride = stride,
                                                       .grain = stride});
}

// Adds the probes for the ways of level k. The first call adds a chain of 33 nodes in one set, and
// a chain of 33 nodes in different sets. If only the chain in different sets fits, address bits
// choose the set. The second call then adds shorter chains, and chains with three times the stride.
// CPUs and levels above 4 MiB get no probes, because large caches choose their sets by a hash.
static void plan_ways(const struct map_look *look, size_t k)
{
    struct map_cases *cases = look->cases;
    const struct map_level level = map_caches_level(look->caches, k);
    const uint64_t stride = map_ways_stride(level.end), beside = stride + MAP_WAYS_BESIDE;
    const unsigned most = map_ways_plan[map_ways_count - 1];
    double middle = sqrt(level.within * level.beyond);
    if (map_cases_of_cpu(cases) || stride > MAP_WAYS_STRIDE_MOST)
        return;
    if (!look->again) {
        add_way(cases, k + 1, stride, most);
        add_way(cases, k + 1, beside, most);
        return;
    }
    const struct map_steps *steps = &look->caches->steps;
    const struct lines_chain one = {(double)(stride * most), (double)stride};
    const struct lines_chain many = {(double)(beside * most), (double)beside};
    if (!(map_steps_chain(steps, look->run, MAP_WAYS, k + 1, &one) > middle &&
          map_steps_chain(steps, look->run, MAP_WAYS, k + 1, &many) < middle))
        return;
    for (size_t i = 0; i < map_ways_count; i++) {
        add_way(cases, k + 1, stride, map_ways_plan[i]);
        add_way(cases, k + 1, 3 * stride, map_ways_plan[i]);
    }
}

static void plan_sharers(const struct map_look *look, size_t k)
{
    struct map_sharers_probe probes[2 * MAP_SHARERS_MAX];
    const struct gpu_info *device = look->cases->device;
    const gpu_caps needed = GPU_CAP(CORE_CLOCK) | GPU_CAP(CORE_ID);
    const unsigned cores = (unsigned)device->limits.cores;
    size_t count;
    if ((device->caps & needed) != needed)
        return;
    map_caches_sharers(look->caches, look->run, k, cores, look->again, probes, &count);
    for (size_t i = 0; i < count; i++)
        map_cases_add_chain(look->cases, &(struct map_chain){.what = MAP_NEIGHBOURS,
                                                             .level = k + 1,
                                                             .bytes = probes[i].region,
                                                             // 0 means one on each core
                                                             .chains = probes[i].chains % cores,
                                                             .stride = MAP_NODE_BYTES,
                                                             .grain = MAP_NODE_BYTES});
}

static void plan_each_level(const struct map_look *look)
{
    for (size_t k = 0; k + 1 < look->caches->steps.curve.fit.flat; k++) {
        plan_ways(look, k);
        plan_sharers(look, k);
    }
}

// Adds loads from shared memory with threads 1, 2, 3, 4, 8 … words apart (benchmark strides).
static void plan_banks(const struct map_look *look)
{
    static const char *const texts[] = {"pattern=banks", "stride=1,2,3,4,8,16,32,64,128"};
    if (!map_cases_of_cpu(look->cases))
        map_cases_add_chosen(look->cases, look->cases->strides, texts, COUNT(texts));
}

// Adds latency cases of the paths texel and scalar, which only a GPU has.
static void plan_gpu_paths(struct map_cases *cases)
{
    const char *sizes =
        arena_printf(cases->arena, "16KiB..%" PRIu64 "/4", 2 * map_cases_last_cache(cases));
    map_cases_add_latency(cases, "texel", "random", sizes);
    // Only AMD's GPUs have a scalar path of their own.
    if (cases->device->vendor_id == GPU_VENDOR_AMD)
        map_cases_add_latency(cases, "scalar", "random", sizes);
}

static void plan_paths(const struct map_look *look)
{
    map_cases_add_latency(look->cases, "constant", "random", "1KiB..max/4");
    if (!map_cases_of_cpu(look->cases))
        plan_gpu_paths(look->cases);
    map_cases_add_latency(look->cases, "shared", "random", "4KiB,16KiB,max");
}

// The stages of the plan, in their order. Each has cases of one benchmark, because a worker keeps
// the programs and the memory of only one benchmark. (The chains of the benchmark map use the
// programs and the memory of latency.) Stages of other benchmarks come before the chains over
// pages, which take up to half of the device's memory. So this memory need not be freed before
// further cases, which may take a driver a second.
static const struct stage {
    void (*add_cases)(const struct map_look *look);
    bool uses_steps; // true: look->caches has what the run shows so far; false: no curve
    // value of look->again: true if this function has added its first cases in an earlier stage
    bool again;
} stages[] = {
    {plan_coarse, false, false},
    {plan_steps, true, false},
    {plan_steps, true, true},
    {plan_lines, true, false},
    {plan_lines, true, true},
    {plan_sizes, true, false},
    {plan_sizes_again, true, false},
    {plan_local, true, false},
    {plan_each_level, true, false},
    {plan_each_level, true, true},
    {map_bandwidth_add_cases, true, false},
    {plan_banks, false, false},
    {map_translation_add_cases, false, false},
    {plan_knees, false, false},
    {plan_knees, false, true},
    {map_pages_add_cases, false, false},
    {map_reach_add_cases, true, false},
    {plan_paths, false, false},
    {map_code_add_cases, false, false},
    {map_code_add_cases, false, true},
    {map_code_add_cases, false, true},
    {map_clocks_add_cases, true, false},
};

static void plan_stage(struct map_plan *plan, const struct run *run)
{
    struct map_cases *cases = &plan->cases;
    struct arena *scratch = arena_create();
    const struct stage *stage = &stages[plan->stage++];
    struct level_curves all = levels_of(scratch, run, cases->device->id);
    const struct level_curve *vector = curve_of(&all, "random");
    struct map_caches caches = {.steps.all = plan->fit};
    if (vector && stage->uses_steps) {
        map_caches_of(scratch, run, vector, (double)measure_limits_cache_most(&cases->limits),
                      &caches);
        plan->fit = caches.steps.all;
    }
    stage->add_cases(&(struct map_look){.cases = cases,
                                        .run = run,
                                        .scratch = scratch,
                                        .caches = &caches,
                                        .pages = curve_of(&all, "page"),
                                        .clocks_hz = plan->plan.clocks_hz,
                                        .clock_count = plan->plan.clock_count,
                                        .again = stage->again});
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
    while (plan->at == plan->cases.count && plan->stage < plan->stage_count)
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
    plan->plan =
        (struct plan){.next = map_next, .grows = true, .left = map_left, .conclude = map_conclude};
    if (!map_clocks_read(arena, request, &plan->plan.clocks_hz, &plan->plan.clock_count, err) ||
        !map_cases_init(&plan->cases, arena, device, err))
        return NULL;
    plan->stage_count = plan->plan.clock_count ? COUNT(stages) : COUNT(stages) - 1;
    plan_stage(plan, run);
    return &plan->plan;
}
