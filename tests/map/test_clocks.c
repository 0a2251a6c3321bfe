// SPDX-License-Identifier: MIT
// The clock domain of a level that no region of the curve shows alone.
#include "machine.h"

#include "bench/bench.h"
#include "map/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A curve with three points in its first level and none in the second one.
static struct level_curve curve_of(struct arena *arena)
{
    struct level_curve curve = level_curve_empty(arena, 3);
    for (unsigned i = 0; i < 3; i++)
        level_curve_insert(&curve, NULL, 12 + i, 10);
    curve.fit = (struct plateaus){.count = 3,
                                  .flat = 3,
                                  .decided = true,
                                  .levels = {{.last = 2}, {.first = 1}, {.first = 1}},
                                  .steps = {{.end_low = 16}, {.end_low = 30}}};
    return curve;
}

static void no_clock_is_asked_for_it(void **state)
{
    (void)state;
    struct error err;
    struct map_cases cases;
    struct arena *arena = arena_create();
    const struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    const struct map_caches caches = {.steps.curve = curve_of(arena)};
    assert_true(map_cases_init(&cases, arena, &device, &err));
    // when cases for two clocks are added
    map_clocks_add_cases(&(struct map_look){.cases = &cases,
                                            .caches = &caches,
                                            .clocks_hz = (const double[]){1e9, 2e9},
                                            .clock_count = 2});
    // then only the first level gets cases: two chains at two clocks
    assert_int_equal(cases.count, 4);
    for (size_t i = 0; i < cases.count; i++)
        assert_int_equal(case_uint(cases.at[i].bench_case, "level"), 1);
    arena_destroy(arena);
}

static void its_clock_is_unknown(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    const struct level_curve curve = curve_of(arena);
    // given loads of the first level that follow the core clock
    struct run *run = machine_map_up_to(&device, &machine_hopper, 20);
    for (size_t i = 0; i < 20; i++) {
        struct result *load = run->results[i];
        double hz = i % 2 ? 1e9 : 2e9;
        load->sensors[0] = (struct named_number){"core_clock", UNIT_HZ, hz};
        load->sensor_count = 1;
        load->metrics[0].median = 32e9 / hz;
    }
    const struct map_writer w = {
        .run = run, .scratch = arena, .device = &device, .info = &benchmark_find("map")->info};
    struct result *result = map_add_result(&w, MAP_LEVEL, "vector", 2);
    // when the clock domain of the second level is wanted
    map_add_clock(&w, result, &curve, 1);
    // then the loads of the first level are no answer
    assert_string_equal(machine_detail(result, "clock domain"),
                        "unknown: no size shows the level alone");
    run_destroy(run);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_clock_is_asked_for_it),
        cmocka_unit_test(its_clock_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
