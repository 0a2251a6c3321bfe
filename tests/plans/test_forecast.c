// SPDX-License-Identifier: MIT
// Tests the forecast of the time left, with runs whose times were recorded.
#include "suite/forecast.h"

#include "base/clock.h"
#include "golden/golden.h"
#include "measure/collect.h"

#include <math.h>

enum {
    PARTS_MAX = 16,
    STEPS = 10
};

// How long the visits of a benchmark took, in ten equal shares.
struct recording {
    const char *name;
    size_t cases;
    unsigned ms[STEPS];
};

// `run --preset quick` on llvmpipe, while other programs ran on the machine.
static const struct recording llvmpipe[] = {
    {.name = "latency", .cases = 58, .ms = {724, 367, 272, 306, 103, 127, 123, 136, 110, 129}},
    {.name = "bandwidth", .cases = 7, .ms = {918, 2130, 1699, 470, 711, 46, 744, 525, 557, 21}},
    {.name = "loads", .cases = 24, .ms = {464, 194, 117, 120, 216, 292, 231, 170, 139, 132}},
    {.name = "stream", .cases = 4, .ms = {0, 0, 45, 0, 0, 0, 0, 0, 0, 0}},
    {.name = "strides", .cases = 25, .ms = {168, 100, 34, 73, 53, 44, 34, 57, 46, 63}},
    {.name = "launch", .cases = 11, .ms = {59, 178, 49, 115, 155, 56, 33, 245, 98, 53}},
    {.name = "transfer", .cases = 11, .ms = {114, 89, 79, 48, 60, 51, 52, 37, 71, 64}},
    {.name = "overlap", .cases = 4, .ms = {1341, 438, 354, 1459, 1516, 1660, 397, 512, 506, 1119}},
    {.name = "preempt", .cases = 4, .ms = {76, 104, 0, 363, 90, 201, 332, 96, 92, 428}},
    {.name = "incore", .cases = 20, .ms = {670, 411, 209, 215, 217, 171, 217, 139, 139, 123}},
    {.name = "roofline", .cases = 4, .ms = {327, 162, 101, 137, 105, 114, 185, 204, 271, 202}},
    {.name = "raster", .cases = 8, .ms = {461, 96, 80, 110, 660, 117, 107, 365, 373, 79}},
    {.name = "occupancy", .cases = 2, .ms = {77, 77, 1, 1, 1, 1, 1, 1, 1, 167}},
};

// A run of an H200. Its file has the order of the cases and their rounds; only the rounds that
// today's stop rule takes count. All visits of a benchmark are taken to last equally long.
struct real_run {
    const char *file, *preset;
    gpu_caps lacks;
    struct {
        const char *name;
        double s;
        size_t cases; // 0: as many as the file has
    } parts[PARTS_MAX];
};

// The run's log, at commit 188987a, has the time at which each benchmark began.
static const struct real_run vulkan_quick = {
    .file = "h200-vulkan-quick-2.json.gz",
    .preset = "quick",
    .lacks = GPU_CAP(MANAGED),
    .parts = {{"latency", 4.47, 0},
              {"bandwidth", 0.76, 0},
              {"loads", 2.56, 0},
              {"stream", 0.42, 0},
              {"strides", 0.68, 0},
              {"launch", 1.29, 0},
              {"transfer", 0.9, 0},
              {"managed", 0, 0},
              {"overlap", 2.79, 0},
              {"preempt", 4.56, 0},
              {"incore", 2.51, 0},
              {"roofline", 0.67, 0},
              {"raster", 0.92, 0},
              {"occupancy", 0.93, 0}},
};

// As above, but the user interrupted the run after 68 visits of managed, which took 6.5 s. The
// later times are those of other runs (docs/evidence).
static const struct real_run cuda_standard = {
    .file = "h200-cuda-standard-3.json.gz",
    .preset = "standard",
    .lacks = GPU_CAP(GRAPHICS),
    .parts = {{"latency", 30.2, 0},
              {"bandwidth", 20.6, 0},
              {"loads", 13.1, 0},
              {"stream", 5.7, 0},
              {"strides", 12.6, 0},
              {"incore", 14.4, 0},
              {"roofline", 21.7, 0},
              {"launch", 20, 0},
              {"transfer", 20, 0},
              {"managed", 11.5, 0},
              {"occupancy", 1.2, 19},
              {"raster", 0, 50},
              {"overlap", 4.5, 10}},
};

// 392 s in all. The times of the benchmarks are from other runs (docs/evidence); preempt was not
// timed and gets the rest.
static const struct real_run vulkan_standard = {
    .file = "h200-vulkan-all.json",
    .preset = "standard",
    .lacks = GPU_CAP(MANAGED),
    .parts = {{"latency", 45, 0},
              {"bandwidth", 25, 0},
              {"loads", 14.1, 0},
              {"stream", 13, 0},
              {"strides", 17, 0},
              {"launch", 20.4, 0},
              {"transfer", 22.8, 0},
              {"managed", 0, 0},
              {"overlap", 13, 0},
              {"preempt", 178.4, 0},
              {"incore", 17, 0},
              {"roofline", 14.5, 0},
              {"raster", 10, 0},
              {"occupancy", 1.8, 0}},
};

static const struct gpu_info discrete = {.kind = GPU_KIND_DISCRETE, .caps = ~GPU_CAP(VIRTUAL_TIME)};

// A run that is replayed with its own clock. The first pass over all steps gives its duration. The
// second pass compares the forecast with the time that is really left.
struct replay {
    struct forecast_part parts[PARTS_MAX];
    struct forecast forecast;
    bool judges;
    double now_s, total_s;
    double judged_s, good_s; // time with an estimate, and with a good one
    double worst;            // the largest factor by which an estimate is wrong
};

// True if the estimate is within a factor of 1.5 of the truth, or within 3 s.
static bool is_good(double left_s, double truth_s)
{
    return fabs(left_s - truth_s) < 3 || (left_s < 1.5 * truth_s && truth_s < 1.5 * left_s);
}

static void replay_step(struct replay *r, size_t part, double done, double step_s)
{
    double began_s = r->now_s, truth_s = r->total_s - began_s;
    r->now_s += step_s;
    if (!r->judges)
        return;
    forecast_note(&r->forecast, part, done, (uint64_t)(began_s * NS_PER_S));
    double left_s = forecast_left_s(&r->forecast);
    assert_int_equal(isfinite(left_s), r->forecast.now_ns >= FORECAST_SILENT_S * NS_PER_S);
    if (!isfinite(left_s))
        return;
    r->judged_s += step_s;
    r->good_s += is_good(left_s, truth_s) ? step_s : 0;
    if (!is_good(left_s, truth_s))
        r->worst = fmax(r->worst, fmax(left_s / truth_s, truth_s / left_s));
}

static void replay_plan(struct replay *r, size_t part, const char *benchmark, size_t cases,
                        const struct gpu_info *device, const char *preset)
{
    struct budget budget;
    assert_true(part < PARTS_MAX);
    budget_of(preset, device, &budget);
    forecast_plan(&r->forecast, part, benchmark_find(benchmark), cases, device, &budget);
}

static void replay_init(struct replay *r, size_t parts)
{
    *r = (struct replay){.worst = 1};
    r->forecast = (struct forecast){.parts = r->parts, .count = parts, .at = parts};
}

static void replay_rewind(struct replay *r)
{
    r->total_s = r->now_s;
    r->now_s = 0;
    r->judges = true;
}

static void replay_end(struct replay *r, const char *name)
{
    size_t last = r->forecast.count - 1;
    forecast_note(&r->forecast, last, (double)r->parts[last].cases,
                  (uint64_t)(r->now_s * NS_PER_S));
    assert_true(forecast_left_s(&r->forecast) < 1e-9);
    print_message("%s: %.1f s: good %.0f %% of %.1f s, worst %.2f\n", name, r->total_s,
                  100 * r->good_s / r->judged_s, r->judged_s, r->worst);
}

// ---------------------------------------------------------------- runs of an H200

// How many of the recorded rounds the stop rule of a preset takes.
static size_t rounds_taken(const struct result *result, const struct budget *budget)
{
    const struct benchmark_info *of = &benchmark_find(result->benchmark)->info;
    const struct metric *metric = &result->metrics[0];
    const struct metric_info declared = {.name = metric->name, .unit = metric->unit};
    const struct benchmark_info info = {.name = of->name, .metrics = &declared, .metric_count = 1};
    const struct collect_rule rule = {.goal = budget_goal(benchmark_find(result->benchmark)),
                                      .rounds_min = budget->rounds_min,
                                      .rounds_max = budget->rounds_max};
    struct arena *arena = arena_create();
    struct collect *collect = collect_create(arena, &info, &rule);
    size_t taken = 0;
    for (; taken < metric->round_count && !collect_done(collect); taken++) {
        struct measure_visit *visit = measure_visit_create(arena);
        visit_samples(visit, 0, &metric->round_medians[taken], 1, 0);
        collect_visit(collect, visit);
    }
    arena_destroy(arena);
    return taken;
}

// The cases of one part of a run.
struct part_cases {
    const struct budget *budget;
    unsigned *rounds; // of each case
    size_t count;
    double recorded; // recorded rounds of all cases together
};

static bool was_interrupted(const struct result *result)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, "interrupted") == 0)
            return true;
    return false;
}

// Adds a case. Without a result or interrupted, it has rounds_min rounds; if skipped, one visit.
static void add_case(struct part_cases *cases, const struct result *result)
{
    size_t recorded = 1, taken = 1;
    if (!result || was_interrupted(result)) {
        recorded = taken = cases->budget->rounds_min;
    } else if (result->metric_count) {
        recorded = result->metrics[0].round_count;
        taken = rounds_taken(result, cases->budget);
    }
    cases->rounds[cases->count++] = (unsigned)taken;
    cases->recorded += (double)recorded;
}

static struct part_cases cases_of_part(const struct real_run *real, size_t part,
                                       const struct run *run, const struct budget *budget)
{
    struct part_cases cases = {.budget = budget,
                               .rounds = calloc(run->result_count, sizeof *cases.rounds)};
    for (size_t i = 0; i < run->result_count; i++)
        if (strcmp(run->results[i]->benchmark, real->parts[part].name) == 0)
            add_case(&cases, run->results[i]);
    while (cases.count < real->parts[part].cases)
        add_case(&cases, NULL);
    return cases;
}

// The work on `count` cases from number `at` on, as the schedule counts it: in cases and parts.
static double work_on(const struct part_cases *cases, size_t at, size_t count, unsigned round,
                      size_t visited)
{
    double work = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned made = round + (i < visited);
        work += made >= cases->rounds[at + i]
                    ? 1
                    : fmin(made / (double)cases->budget->rounds_min, 0.95);
    }
    return work;
}

static void replay_block(struct replay *r, size_t part, const struct part_cases *cases, size_t at,
                         double visit_s)
{
    size_t count = cases->count - at < PLAN_BLOCK_CASES ? cases->count - at : PLAN_BLOCK_CASES;
    unsigned most = 0;
    for (size_t i = 0; i < count; i++)
        most = cases->rounds[at + i] > most ? cases->rounds[at + i] : most;
    for (unsigned round = 0; round < most; round++)
        for (size_t i = 0; i < count; i++)
            if (round < cases->rounds[at + i])
                replay_step(r, part, (double)at + work_on(cases, at, count, round, i), visit_s);
}

static void replay_parts(struct replay *r, const struct real_run *real, const struct run *run,
                         const struct budget *budget)
{
    for (size_t part = 0; part < r->forecast.count; part++) {
        struct part_cases cases = cases_of_part(real, part, run, budget);
        for (size_t at = 0; at < cases.count; at += PLAN_BLOCK_CASES)
            replay_block(r, part, &cases, at, real->parts[part].s / cases.recorded);
        free(cases.rounds);
    }
}

static void replay_real(struct replay *r, const struct real_run *real)
{
    char path[512];
    snprintf(path, sizeof path, "%s/../reference/%s", TESTS_DIR, real->file);
    struct run *run = golden_run(path);
    const struct gpu_info device = {.kind = GPU_KIND_DISCRETE,
                                    .caps = discrete.caps & ~real->lacks};
    struct budget budget;
    size_t parts = 0;
    budget_of(real->preset, &device, &budget);
    while (parts < PARTS_MAX && real->parts[parts].name)
        parts++;
    replay_init(r, parts);
    for (size_t part = 0; part < parts; part++) {
        struct part_cases cases = cases_of_part(real, part, run, &budget);
        replay_plan(r, part, real->parts[part].name, cases.count, &device, real->preset);
        free(cases.rounds);
    }
    replay_parts(r, real, run, &budget);
    replay_rewind(r);
    replay_parts(r, real, run, &budget);
    replay_end(r, real->file);
    run_destroy(run);
}

static void runs_of_an_h200_are_foreseen_nine_tenths_of_the_time(void **state)
{
    (void)state;
    const struct {
        const struct real_run *run;
        double least_s, most_s;
    } cases[] = {{&vulkan_quick, 15, 18}, {&cuda_standard, 170, 180}, {&vulkan_standard, 380, 387}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay r;
        replay_real(&r, cases[i].run);
        assert_true(r.total_s > cases[i].least_s && r.total_s < cases[i].most_s);
        assert_true(r.judged_s > r.total_s - FORECAST_SILENT_S - 0.1);
        assert_true(r.good_s / r.judged_s > 0.9);
    }
}

// ---------------------------------------------------------------- a run of llvmpipe

static void replay_tenths(struct replay *r, const struct recording *recording)
{
    for (size_t i = 0; i < r->forecast.count; i++)
        for (size_t k = 0; k < STEPS; k++)
            replay_step(r, i, (double)(recording[i].cases * k) / STEPS, 1e-3 * recording[i].ms[k]);
}

static void benchmarks_of_very_different_paces_are_foreseen_most_of_the_time(void **state)
{
    (void)state;
    const struct gpu_info device = {.kind = GPU_KIND_CPU, .caps = discrete.caps};
    struct replay r;
    replay_init(&r, sizeof llvmpipe / sizeof *llvmpipe);
    for (size_t i = 0; i < r.forecast.count; i++)
        replay_plan(&r, i, llvmpipe[i].name, llvmpipe[i].cases, &device, "quick");
    replay_tenths(&r, llvmpipe);
    replay_rewind(&r);
    replay_tenths(&r, llvmpipe);
    replay_end(&r, "llvmpipe");
    assert_true(r.good_s / r.judged_s > 0.9);
    assert_true(r.worst < 2);
}

// ---------------------------------------------------------------- its rules

static void a_benchmark_takes_no_more_than_its_budget(void **state)
{
    (void)state;
    struct replay r;
    replay_init(&r, 1);
    replay_plan(&r, 0, "latency", 100000, &discrete, "quick");
    forecast_note(&r.forecast, 0, 0, 0);
    forecast_note(&r.forecast, 0, 10, 4 * NS_PER_S);
    assert_true(fabs(forecast_left_s(&r.forecast) - 8) < 1e-9); // of 12 s
}

static void what_the_device_cannot_run_takes_no_time(void **state)
{
    (void)state;
    const struct gpu_info simple = {.kind = GPU_KIND_DISCRETE};
    struct replay r;
    replay_init(&r, 1);
    replay_plan(&r, 0, "raster", 50, &simple, "standard");
    r.forecast.now_ns = FORECAST_SILENT_S * NS_PER_S;
    assert_true(forecast_left_s(&r.forecast) < 1e-9);
    replay_plan(&r, 0, "raster", 50, &discrete, "standard");
    assert_true(forecast_left_s(&r.forecast) > 1);
}

static void devices_that_follow_count(void **state)
{
    (void)state;
    struct replay r, later;
    replay_init(&r, 1);
    replay_init(&later, 1);
    replay_plan(&r, 0, "latency", 100, &discrete, "standard");
    replay_plan(&later, 0, "latency", 50, &discrete, "standard");
    forecast_note(&r.forecast, 0, 0, 0);
    forecast_note(&r.forecast, 0, 50, 5 * NS_PER_S); // as expected: 20 ms a visit
    double alone_s = forecast_left_s(&r.forecast);
    forecast_add_later(&r.forecast, &later.forecast);
    assert_true(fabs(alone_s - 5) < 0.01);
    assert_true(fabs(forecast_left_s(&r.forecast) - 10) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_an_h200_are_foreseen_nine_tenths_of_the_time),
        cmocka_unit_test(benchmarks_of_very_different_paces_are_foreseen_most_of_the_time),
        cmocka_unit_test(a_benchmark_takes_no_more_than_its_budget),
        cmocka_unit_test(what_the_device_cannot_run_takes_no_time),
        cmocka_unit_test(devices_that_follow_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
