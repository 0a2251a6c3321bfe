// SPDX-License-Identifier: MIT
#include "measure/collect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct metric_info metrics[] = {
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
};
static const struct benchmark_info info = {.name = "fake", .metrics = metrics, .metric_count = 1};

static void what_visits_say_survives_their_arena(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct collect *collect =
        collect_create(arena, &info, &(struct collect_rule){.goal = 0.005, .rounds_max = 5});
    for (int round = 0; round < 5; round++) {
        struct arena *visit_arena = arena_create();
        struct measure_visit *visit = measure_visit_create(visit_arena);
        double data[] = {round, 2, 3, 4};
        const char *columns[] = {"a", "b"};
        visit_detail(visit, "shape", "grid %d", 20000);
        visit_sensor(visit, "core_clock", UNIT_HZ, 1.9e9 + round);
        visit_sensor(visit, "power", UNIT_WATT, NAN);
        memcpy(visit_series(visit, "line", columns, 2, 2)->data, data, sizeof data);
        visit->kernel.hash = arena_strdup(visit_arena, "0123");
        visit->kernel.source = arena_strdup(visit_arena, "x.comp");
        collect_visit(collect, visit);
        arena_destroy(visit_arena);
    }
    struct result result = {0};
    collect_result(collect, arena, &result);
    assert_int_equal(result.detail_count, 1);
    assert_string_equal(result.details[0].text, "grid 20000");
    assert_int_equal(result.sensor_count, 1); // a sensor without values is absent
    assert_true(result.sensors[0].value == 1.9e9 + 2);
    assert_int_equal(result.series_count, 1);
    assert_true(result.series[0].data[0] == 4); // the series of the last visit
    assert_string_equal(result.series[0].columns[1], "b");
    assert_string_equal(result.kernel.hash, "0123");
    assert_string_equal(result.kernel.source, "x.comp");
    arena_destroy(arena);
}

static void visits_hold_lists_of_any_length(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    for (int i = 0; i < 100; i++)
        visit_detail(visit, "n", "%d", i);
    assert_int_equal(visit->detail_count, 100);
    for (int i = 0; i < 100; i++)
        assert_string_equal(visit->details[i].text, arena_printf(arena, "%d", i));
    arena_destroy(arena);
}

static void one_misread_clock_does_not_widen_the_range(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    visit_core_clock(visit, (const double[]){NAN, NAN}, 2, 0);
    assert_int_equal(visit->sensor_count, 0);
    visit_core_clock(visit, (const double[]){1980e6, 2030e6, NAN, 1979e6, 1981e6}, 5, 0.001);
    assert_true(visit->clock.low_hz == 1980e6 && visit->clock.high_hz == 1981e6);
    assert_true(visit_sensor_value(visit, "core_clock") == 1980.5e6);
    // Two of four clocks are no misreading. Of three clocks, each one counts.
    visit_core_clock(visit, (const double[]){1755e6, 1980e6, 1755e6, 1980e6}, 4, 0);
    assert_true(visit->clock.low_hz == 1755e6 && visit->clock.high_hz == 1980e6);
    visit_core_clock(visit, (const double[]){1980e6, 1755e6, 1980e6}, 3, 0);
    assert_true(visit->clock.low_hz == 1755e6);
    arena_destroy(arena);
}

// Returns the number of attempts to take one sample.
static unsigned attempts_of(const struct measure_request *request)
{
    unsigned attempt = 0;
    while (measure_attempt(request, attempt))
        attempt++;
    return attempt;
}

// Given samples that do not depend on the host, then each is taken once. Given others, then each is
// taken once or twice, however busy the host is.
static void a_sample_is_taken_twice_at_most(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_request request = {.samples = 4};
    assert_int_equal(attempts_of(&request), 1);
    struct measure_core core = {.core = free_core_create(arena, NULL, NULL)};
    free_core_refresh(core.core);
    request.core = &core;
    for (int i = 0; i < 100; i++) {
        unsigned attempts = attempts_of(&request);
        assert_true(attempts == 1 || attempts == 2);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_misread_clock_does_not_widen_the_range),
        cmocka_unit_test(what_visits_say_survives_their_arena),
        cmocka_unit_test(a_sample_is_taken_twice_at_most),
        cmocka_unit_test(visits_hold_lists_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
