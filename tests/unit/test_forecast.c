// SPDX-License-Identifier: MIT
// The time left, for runs whose times were recorded.
#include "suite/forecast.h"

#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    PARTS_MAX = 16,
    STEPS = 10
};

// The durations of ten equal shares of a benchmark's visits.
struct recording {
    const char *name;
    size_t cases;
    unsigned slowness;
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
    {.name = "preempt",
     .cases = 4,
     .slowness = 10,
     .ms = {76, 104, 0, 363, 90, 201, 332, 96, 92, 428}},
    {.name = "incore", .cases = 20, .ms = {670, 411, 209, 215, 217, 171, 217, 139, 139, 123}},
    {.name = "roofline", .cases = 4, .ms = {327, 162, 101, 137, 105, 114, 185, 204, 271, 202}},
    {.name = "raster", .cases = 8, .ms = {461, 96, 80, 110, 660, 117, 107, 365, 373, 79}},
    {.name = "occupancy", .cases = 2, .ms = {77, 77, 1, 1, 1, 1, 1, 1, 1, 167}},
};

// `run latency bandwidth` on an H200: 520 cases in 70 s (README.md), here at an even pace.
static const struct recording h200[] = {
    {.name = "latency",
     .cases = 378,
     .ms = {5090, 5090, 5090, 5090, 5090, 5090, 5090, 5090, 5090, 5090}},
    {.name = "bandwidth",
     .cases = 142,
     .ms = {1910, 1910, 1910, 1910, 1910, 1910, 1910, 1910, 1910, 1910}},
};

struct replay {
    struct forecast_part parts[PARTS_MAX];
    struct forecast forecast;
    double total_s, judged_s, good_s; // of the run; while there is an estimate; while it is good
    double worst; // largest factor between the truth and an estimate that is not good
};

// True if the estimate is within a factor of 1.5 of the truth, or within 3 s.
static bool is_good(double left_s, double truth_s)
{
    return fabs(left_s - truth_s) < 3 || (left_s < 1.5 * truth_s && truth_s < 1.5 * left_s);
}

// Replays a recording by its own clock. Before each step the estimate is held against the time that
// the run still took.
static struct replay replay(const struct recording *recording, size_t count, const char *preset,
                            enum gpu_kind kind)
{
    struct replay r = {.worst = 1};
    struct budget budget;
    const struct gpu_info device = {.kind = kind};
    budget_of(preset, &device, &budget);
    r.forecast = (struct forecast){.parts = r.parts, .count = count, .at = count};
    for (size_t i = 0; i < count; i++) {
        forecast_plan(&r.forecast, i, recording[i].cases, &device, &budget, recording[i].slowness);
        for (size_t k = 0; k < STEPS; k++)
            r.total_s += 1e-3 * recording[i].ms[k];
    }
    double now_s = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < STEPS; k++) {
            forecast_note(&r.forecast, i, (double)(recording[i].cases * k) / STEPS,
                          (uint64_t)(now_s * NS_PER_S));
            double left_s = forecast_left_s(&r.forecast), step_s = 1e-3 * recording[i].ms[k];
            double truth_s = r.total_s - now_s;
            now_s += step_s;
            assert_int_equal(isfinite(left_s), now_s - step_s >= FORECAST_SILENT_S);
            if (!isfinite(left_s))
                continue;
            r.judged_s += step_s;
            r.good_s += is_good(left_s, truth_s) ? step_s : 0;
            if (!is_good(left_s, truth_s))
                r.worst = fmax(r.worst, fmax(left_s / truth_s, truth_s / left_s));
        }
    forecast_note(&r.forecast, count - 1, (double)recording[count - 1].cases,
                  (uint64_t)(now_s * NS_PER_S));
    assert_true(forecast_left_s(&r.forecast) < 1e-9);
    print_message("%.1f s: good %.0f %% of %.1f s, worst %.2f\n", r.total_s,
                  100 * r.good_s / r.judged_s, r.judged_s, r.worst);
    r.forecast.parts = NULL; // they lie in this frame
    return r;
}

static void a_run_at_an_even_pace_is_foreseen_from_the_third_second_on(void **state)
{
    (void)state;
    struct replay r = replay(h200, sizeof h200 / sizeof *h200, "standard", GPU_KIND_DISCRETE);
    assert_true(r.judged_s > 60);
    assert_true(r.good_s >= r.judged_s);
}

static void benchmarks_of_very_different_paces_are_foreseen_most_of_the_time(void **state)
{
    (void)state;
    struct replay r = replay(llvmpipe, sizeof llvmpipe / sizeof *llvmpipe, "quick", GPU_KIND_CPU);
    assert_true(r.good_s / r.judged_s > 0.85);
    assert_true(r.worst < 2.5);
}

static void a_benchmark_takes_no_more_than_its_budget(void **state)
{
    (void)state;
    struct forecast_part part;
    struct forecast forecast = {.parts = &part, .count = 1, .at = 1};
    struct budget budget;
    const struct gpu_info device = {.kind = GPU_KIND_DISCRETE};
    budget_of("quick", &device, &budget);
    forecast_plan(&forecast, 0, 100000, &device, &budget, 0);
    forecast_note(&forecast, 0, 0, 0);
    forecast_note(&forecast, 0, 10, 4 * NS_PER_S);
    assert_true(fabs(forecast_left_s(&forecast) - 8) < 1e-9); // of 12 s
}

static void devices_that_follow_count(void **state)
{
    (void)state;
    struct forecast_part parts[2];
    struct forecast forecast = {.parts = &parts[0], .count = 1, .at = 1};
    struct forecast later = {.parts = &parts[1], .count = 1, .at = 1};
    struct budget budget;
    const struct gpu_info device = {.kind = GPU_KIND_DISCRETE};
    budget_of("standard", &device, &budget);
    forecast_plan(&forecast, 0, 100, &device, &budget, 0);
    forecast_plan(&later, 0, 50, &device, &budget, 0);
    forecast_note(&forecast, 0, 0, 0);
    forecast_note(&forecast, 0, 50, 9 * NS_PER_S); // as expected: 36 ms a visit
    double alone_s = forecast_left_s(&forecast);
    forecast_add_later(&forecast, &later);
    assert_true(fabs(alone_s - 9) < 0.01);
    assert_true(fabs(forecast_left_s(&forecast) - 18) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_at_an_even_pace_is_foreseen_from_the_third_second_on),
        cmocka_unit_test(benchmarks_of_very_different_paces_are_foreseen_most_of_the_time),
        cmocka_unit_test(a_benchmark_takes_no_more_than_its_budget),
        cmocka_unit_test(devices_that_follow_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
