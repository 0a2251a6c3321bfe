// SPDX-License-Identifier: MIT
// The findings about rays, from a run made by hand.
#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_rays;

// Adds a result to the run. If `through` is NULL, the case lacks that parameter.
static void add_through(struct run *run, const char *through, const char *scene, const char *order,
                        uint64_t primitives, double rate)
{
    struct result *result = run_add_result(run);
    struct case_value *values = ARENA_ARRAY(run->arena, 6, struct case_value);
    const char *texts[][2] = {{"work", "rays"},
                              {"through", through},
                              {"scene", scene},
                              {"order", order},
                              {"hits", "opaque"}};
    size_t count = 0;
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i][1])
            values[count++] =
                (struct case_value){.key = texts[i][0], .type = PARAM_TEXT, .text = texts[i][1]};
    values[count++] =
        (struct case_value){.key = "primitives", .type = PARAM_UINT, .uint = primitives};
    *result = (struct result){.benchmark = "rays",
                              .device = "vulkan:0",
                              .bench_case = {values, count},
                              .metrics = ARENA_NEW(run->arena, struct metric),
                              .metric_count = 1};
    result->metrics[0] = (struct metric){.name = "rays", .median = rate};
    result->key = case_key(run->arena, "rays", &result->bench_case);
}

static void add(struct run *run, const char *scene, const char *order, uint64_t primitives,
                double rate)
{
    add_through(run, "pipeline", scene, order, primitives, rate);
}

static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    return run;
}

static void the_same_rays_are_compared_in_the_largest_scene(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run, "soup", "random", 1024, 90e6);
    add(run, "soup", "ordered", 1024, 100e6);
    add(run, "soup", "random", 1048576, 20e6);
    add(run, "soup", "camera", 1048576, 70e6);
    add(run, "soup", "ordered", 1048576, 50e6);
    add(run, "thin", "random", 8388608, 1e6); // no other order to compare it with
    bench_rays.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "rays-order");
    assert_float_equal(run->findings[0].value, 0.4, 1e-9);
    assert_non_null(strstr(run->findings[0].text, "0.40 times"));
    assert_non_null(strstr(run->findings[0].text, "soup of 1048576 triangles"));
    run_destroy(run);
}

static void rays_through_other_means_are_not_compared(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_through(run, "query", "soup", "ordered", 1024, 200e6);
    add(run, "soup", "random", 1024, 25e6);
    add(run, "soup", "ordered", 1024, 50e6);
    bench_rays.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    assert_float_equal(run->findings[0].value, 0.5, 1e-9);
    run_destroy(run);
}

// Cases leave out through=query, so a case without `through` is one of queries.
static void queries_are_not_compared_with_a_pipeline(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_through(run, "pipeline", "soup", "ordered", 1024, 200e6);
    add_through(run, NULL, "soup", "random", 1024, 25e6);
    add_through(run, NULL, "soup", "ordered", 1024, 50e6);
    bench_rays.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    assert_float_equal(run->findings[0].value, 0.5, 1e-9);
    run_destroy(run);
}

static void one_order_alone_tells_nothing(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run, "soup", "random", 1024, 90e6);
    bench_rays.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void a_device_without_units_for_rays_is_named_once(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run, "soup", "random", 1024, 90e6);
    add(run, "thin", "random", 1024, 90e6);
    for (size_t i = 0; i < 2; i++) {
        run->results[i]->details = ARENA_NEW(run->arena, struct named_text);
        run->results[i]->details[0] = (struct named_text){"units", "Hopper has no units for rays"};
        run->results[i]->detail_count = 1;
    }
    bench_rays.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "no-ray-units");
    assert_string_equal(run->findings[0].text, "vulkan:0: Hopper has no units for rays");
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_rays_are_compared_in_the_largest_scene),
        cmocka_unit_test(rays_through_other_means_are_not_compared),
        cmocka_unit_test(queries_are_not_compared_with_a_pipeline),
        cmocka_unit_test(one_order_alone_tells_nothing),
        cmocka_unit_test(a_device_without_units_for_rays_is_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
