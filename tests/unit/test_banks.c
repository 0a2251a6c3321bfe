// SPDX-License-Identifier: MIT
// The number of banks, from what loads of hardware with so many banks would take.
#include "analysis/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum {
    STRIDES_MAX = 256
};

// So many threads of 32 meet in the fullest bank.
static double turns(unsigned stride, unsigned banks)
{
    unsigned users[STRIDES_MAX] = {0}, most = 0;
    for (unsigned t = 0; t < 32; t++) {
        unsigned *user = &users[t * stride % banks];
        most = ++*user > most ? *user : most;
    }
    return most;
}

static unsigned count_up_to(unsigned banks, unsigned strides, double cost_of_odd)
{
    double x[STRIDES_MAX], y[STRIDES_MAX];
    for (unsigned i = 0; i < strides; i++) {
        x[i] = i + 1;
        y[i] = 1.01 * turns(i + 1, banks) * (i && i % 2 == 0 ? cost_of_odd : 1);
    }
    return banks_count(&(struct banks_curve){x, y, strides});
}

static void banks_are_where_time_grows_no_further(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(16, 64, 1), 16);
    assert_int_equal(count_up_to(32, 64, 1), 32);
    assert_int_equal(count_up_to(64, 128, 1), 64);
}

static void what_was_not_measured_far_enough_gives_none(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(64, 64, 1), 0);
    assert_int_equal(count_up_to(32, 32, 1), 0);
    assert_int_equal(count_up_to(32, 1, 1), 0);
    assert_int_equal(banks_count(&(struct banks_curve){0}), 0);
}

static void what_is_no_conflict_of_banks_gives_none(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(1, 64, 1), 0); // all the same
    assert_int_equal(count_up_to(32, 64, 1.6), 0);
}

// ---------------------------------------------------------------- a run

static const struct param_info params[] = {
    {.key = "pattern", .type = PARAM_TEXT, .role = PARAM_AXIS},
    {.key = "stride", .type = PARAM_UINT, .role = PARAM_AXIS},
};
static const struct metric_info metrics[] = {{.name = "time", .unit = UNIT_NS}};
static const struct view_info views[] = {
    {.kind = VIEW_CURVE, .x = "stride", .metric = "time", .where = "pattern=banks"}};
static const struct benchmark_info benchmark = {.name = "strides",
                                                .params = params,
                                                .param_count = 2,
                                                .metrics = metrics,
                                                .metric_count = 1,
                                                .views = views,
                                                .view_count = 1};

static void add(struct run *run, const char *device, const char *pattern, unsigned stride,
                unsigned banks)
{
    struct result *result = run_add_result(run);
    result->benchmark = "strides";
    result->device = device;
    result->bench_case.values = ARENA_ARRAY(run->arena, 2, struct case_value);
    result->bench_case.value_count = 2;
    result->bench_case.values[0] = (struct case_value){
        .key = "pattern", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = pattern};
    result->bench_case.values[1] = (struct case_value){
        .key = "stride", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = stride};
    result->key = case_key(run->arena, "strides", &result->bench_case);
    result->metrics = ARENA_ARRAY(run->arena, 1, struct metric);
    result->metric_count = 1;
    result->metrics[0] =
        (struct metric){.name = "time", .unit = UNIT_NS, .median = 0.5 * turns(stride, banks)};
}

static void each_device_gets_its_banks_once(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_benchmark(run, &benchmark);
    run_add_device(run)->id = "cuda:0";
    run_add_device(run)->id = "vulkan:0";
    run_add_device(run)->id = "opencl:0";
    for (unsigned stride = 128; stride > 0; stride /= 2) { // in any order
        add(run, "cuda:0", "banks", stride, 32);
        add(run, "cuda:0", "stride", stride, 8);
        add(run, "vulkan:0", "banks", stride, 64);
        add(run, "opencl:0", "stride", stride, 32);
    }
    banks_add_findings(run);
    banks_add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "shared-banks");
    assert_string_equal(run->findings[0].device, "cuda:0");
    assert_true(run->findings[0].value > 31 && run->findings[0].value < 33);
    assert_non_null(strstr(run->findings[0].text, "32 banks, as words of 4 bytes see them"));
    assert_string_equal(run->findings[0].keys[0], "strides/pattern=banks/stride=1");
    assert_string_equal(run->findings[0].keys[1], "strides/pattern=banks/stride=32");
    assert_string_equal(run->findings[1].device, "vulkan:0");
    assert_true(run->findings[1].value > 63 && run->findings[1].value < 65);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_are_where_time_grows_no_further),
        cmocka_unit_test(what_was_not_measured_far_enough_gives_none),
        cmocka_unit_test(what_is_no_conflict_of_banks_gives_none),
        cmocka_unit_test(each_device_gets_its_banks_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
