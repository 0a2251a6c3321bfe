// SPDX-License-Identifier: MIT
// What arithmetic comes to, from a core with 128 units of 4 cycles and a chip whose ridge is at 8.
#include "analysis/arithmetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct param_info core_params[] = {
    {.key = "op", .type = PARAM_TEXT, .role = PARAM_AXIS},
    {.key = "ilp", .type = PARAM_UINT, .role = PARAM_AXIS},
    {.key = "subgroups", .type = PARAM_UINT, .role = PARAM_AXIS},
};
static const struct metric_info core_metrics[] = {{.name = "cycles", .unit = UNIT_CYCLE},
                                                  {.name = "per_core", .unit = UNIT_OP_PER_CYCLE}};
static const struct view_info core_views[] = {
    {.kind = VIEW_HEATMAP, .x = "ilp", .y = "subgroups", .metric = "cycles", .group = "op"}};
static const struct benchmark_info core = {.name = "incore",
                                           .params = core_params,
                                           .param_count = 3,
                                           .metrics = core_metrics,
                                           .metric_count = 2,
                                           .views = core_views,
                                           .view_count = 1};

static const struct param_info roof_params[] = {
    {.key = "type", .type = PARAM_TEXT, .role = PARAM_AXIS},
    {.key = "intensity", .type = PARAM_REAL, .role = PARAM_AXIS},
};
static const struct metric_info roof_metrics[] = {{.name = "rate", .unit = UNIT_OP_PER_S},
                                                  {.name = "bandwidth", .unit = UNIT_BYTE_PER_S}};
static const struct view_info roof_views[] = {
    {.kind = VIEW_CURVE, .x = "intensity", .metric = "rate", .group = "type"},
    {.kind = VIEW_CURVE, .x = "intensity", .metric = "bandwidth", .group = "type"}};
static const struct benchmark_info roof = {.name = "roofline",
                                           .params = roof_params,
                                           .param_count = 2,
                                           .metrics = roof_metrics,
                                           .metric_count = 2,
                                           .views = roof_views,
                                           .view_count = 2};

static void add(struct run *run, const struct benchmark_info *info, const char *device,
                const struct case_value *values, size_t count, double first, double second)
{
    struct result *result = run_add_result(run);
    result->benchmark = info->name;
    result->device = device;
    result->bench_case.values = ARENA_ARRAY(run->arena, count, struct case_value);
    result->bench_case.value_count = count;
    memcpy(result->bench_case.values, values, count * sizeof *values);
    result->key = case_key(run->arena, info->name, &result->bench_case);
    result->metrics = ARENA_ARRAY(run->arena, 2, struct metric);
    result->metric_count = 2;
    result->metrics[0] = (struct metric){
        .name = info->metrics[0].name, .unit = info->metrics[0].unit, .median = first};
    result->metrics[1] = (struct metric){
        .name = info->metrics[1].name, .unit = info->metrics[1].unit, .median = second};
}

// A core does `most` results a cycle once so many chains are under way.
static void add_operation(struct run *run, const char *device, const char *op, double latency,
                          double most)
{
    for (uint64_t subgroups = 1; subgroups <= 32; subgroups *= 32)
        for (uint64_t chains = 1; chains <= 8; chains *= 8) {
            const struct case_value values[] = {
                {.key = "op", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = op},
                {.key = "ilp", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = chains},
                {.key = "subgroups", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = subgroups},
            };
            double rate = fmin(32.0 * (double)(chains * subgroups) / latency, most);
            add(run, &core, device, values, COUNT(values), 32 / rate, rate);
        }
}

// Intensities of 2^least … 2^most.
static void add_roof(struct run *run, const char *device, const char *type, int least, int most)
{
    for (int power = least; power <= most; power++) {
        double intensity = ldexp(1, power);
        const struct case_value values[] = {
            {.key = "type", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = type},
            {.key = "intensity", .type = PARAM_REAL, .role = PARAM_AXIS, .real = intensity},
        };
        double rate = fmin(intensity * 4e12, 32e12);
        add(run, &roof, device, values, COUNT(values), rate, rate / intensity);
    }
}

static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_benchmark(run, &core);
    run_add_benchmark(run, &roof);
    run_add_device(run)->id = "cuda:0";
    run_add_device(run)->id = "vulkan:0";
    return run;
}

static void each_operation_has_its_latency_and_units(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_operation(run, "cuda:0", "fp32-fma", 4, 125.3);
    add_operation(run, "cuda:0", "fp64-div", 92, 4.6);
    add_operation(run, "vulkan:0", "fp32-fma", 4, 124);
    arithmetic_add_findings(run);
    assert_int_equal(run->finding_count, 3);
    const struct finding *fma = &run->findings[0], *div = &run->findings[1];
    assert_string_equal(fma->code, "operation");
    assert_true(fabs(fma->value - 4) < 1e-9 && fabs(div->value - 92) < 1e-9);
    assert_non_null(strstr(fma->text, "fp32-fma"));
    assert_non_null(strstr(fma->text, "128 units"));
    assert_string_equal(fma->keys[0], "incore/op=fp32-fma/ilp=1/subgroups=1");
    assert_string_equal(run->findings[2].device, "vulkan:0");
    // No power of two is near 4.6.
    assert_null(strstr(div->text, "units"));
    run_destroy(run);
}

static void the_ridge_is_where_the_bounds_meet(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_roof(run, "cuda:0", "fp32", -4, 9);
    add_roof(run, "cuda:0", "fp64", -4, 9);
    arithmetic_add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "ridge");
    assert_true(fabs(run->findings[0].value - 8) < 1e-9);
    assert_non_null(strstr(run->findings[1].text, "fp64"));
    assert_non_null(strstr(run->findings[1].text, "4.000 TB/s"));
    assert_non_null(strstr(run->findings[1].text, "up to 8.000 (8.000 to 8.000) operations"));
    run_destroy(run);
}

static void a_bound_that_was_not_seen_makes_no_ridge(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_roof(run, "cuda:0", "fp32", -4, 1);
    add_roof(run, "vulkan:0", "fp32", 6, 9);
    arithmetic_add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void what_is_told_is_not_told_again(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_operation(run, "cuda:0", "fp32-fma", 4, 125.3);
    add_roof(run, "cuda:0", "fp32", -4, 9);
    arithmetic_add_findings(run);
    arithmetic_add_findings(run);
    assert_int_equal(run->finding_count, 2);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_its_latency_and_units),
        cmocka_unit_test(the_ridge_is_where_the_bounds_meet),
        cmocka_unit_test(a_bound_that_was_not_seen_makes_no_ridge),
        cmocka_unit_test(what_is_told_is_not_told_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
