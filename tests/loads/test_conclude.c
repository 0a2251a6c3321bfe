// SPDX-License-Identifier: MIT
// The advice says what the numbers show, names its cases, and is silent if intervals are too wide.
#include "bench/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_loads;

static struct run *new_run(void)
{
    struct run *run = run_create();
    *run_add_device(run) = (struct run_device){.id = "vulkan:0", .name = "Made-up GPU"};
    return run;
}

// Adds a case of `rate` loads a second, ± `half` of that.
static struct result *add(struct run *run, const char *load, const char *pattern, double rate,
                          double half)
{
    struct result *result = run_add_result(run);
    result->benchmark = "loads";
    result->device = "vulkan:0";
    result->key = arena_printf(run->arena, "loads/load=%s/pattern=%s", load, pattern);
    result->bench_case.values = ARENA_ARRAY(run->arena, 2, struct case_value);
    result->bench_case.value_count = 2;
    result->bench_case.values[0] =
        (struct case_value){.key = "load", .type = PARAM_TEXT, .text = load};
    result->bench_case.values[1] =
        (struct case_value){.key = "pattern", .type = PARAM_TEXT, .text = pattern};
    result->metrics = ARENA_ARRAY(run->arena, 1, struct metric);
    result->metric_count = 1;
    result->metrics[0] = (struct metric){.name = "rate",
                                         .unit = UNIT_OP_PER_S,
                                         .median = rate,
                                         .ci95 = {rate * (1 - half), rate * (1 + half)}};
    return result;
}

static void add_unaligned(struct run *run, double ratio, double half)
{
    add(run, "ByteAddressBuffer.Load4", "linear", 1e12, half);
    add(run, "ByteAddressBuffer.Load4 unaligned", "linear", ratio * 1e12, half);
}

static void a_difference_becomes_a_sentence_that_names_its_cases(void **state)
{
    (void)state;
    struct run *run = new_run();
    add_unaligned(run, 0.5, 0.01);
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    const struct finding *finding = &run->findings[0];
    assert_string_equal(finding->code, "loads-advice");
    assert_string_equal(finding->device, "vulkan:0");
    assert_string_equal(
        finding->text,
        "vulkan:0: align raw loads: unaligned ones are slower (ByteAddressBuffer.Load4 "
        "unaligned linear 500.0 Gop/s, ByteAddressBuffer.Load4 linear 1.000 Top/s: "
        "0.5000 times)");
    assert_int_equal(finding->key_count, 2);
    assert_string_equal(finding->keys[0],
                        "loads/load=ByteAddressBuffer.Load4 unaligned/pattern=linear");
    assert_true(fabs(finding->value - 0.5) < 1e-9);
    run_destroy(run);
}

static void no_difference_is_said_as_well(void **state)
{
    (void)state;
    struct run *run = new_run();
    add_unaligned(run, 1.02, 0.01);
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    assert_non_null(strstr(run->findings[0].text, "cost nothing extra"));
    run_destroy(run);
}

static void what_the_intervals_leave_open_is_not_said(void **state)
{
    (void)state;
    struct run *run = new_run();
    add_unaligned(run, 1.15, 0.05); // interval 1.04 to 1.27
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void skipped_cases_and_other_benchmarks_back_nothing(void **state)
{
    (void)state;
    struct run *run = new_run();
    add(run, "ByteAddressBuffer.Load4", "linear", 1e12, 0.01);
    add(run, "ByteAddressBuffer.Load4 unaligned", "linear", 2e12, 0.01)->verdict = VERDICT_SKIPPED;
    add(run, "ByteAddressBuffer.Load4 unaligned", "linear", 2e12, 0.01)->benchmark = "latency";
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void add_baseline(struct run *run, struct result *result, double rate)
{
    struct metric *metrics = ARENA_ARRAY(run->arena, 2, struct metric);
    metrics[0] = result->metrics[0];
    metrics[1] = (struct metric){
        .name = "baseline", .unit = UNIT_OP_PER_S, .median = rate, .ci95 = {rate, rate}};
    result->metrics = metrics;
    result->metric_count = 2;
}

static void how_far_the_baseline_drifted_is_said_and_where(void **state)
{
    (void)state;
    struct run *run = new_run();
    add_baseline(run, add(run, "cbuffer{float4} load", "random", 1e10, 0.01), 2.00e12);
    add_baseline(run, add(run, "Texture2D<R8>.Load", "linear", 4e12, 0.01), 1.98e12);
    add_baseline(run, add(run, "Texture2D<R8>.Load", "random", 4e12, 0.01), 1.99e12);
    struct result *skipped = add(run, "Texture2D<R8>.Load", "uniform", 4e12, 0.01);
    add_baseline(run, skipped, 1e9);
    skipped->verdict = VERDICT_SKIPPED;
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    const struct finding *finding = &run->findings[0];
    assert_string_equal(finding->code, "loads-drift");
    assert_string_equal(
        finding->text,
        "vulkan:0: the baseline, Buffer<RGBA8>.Load random, repeated beside each of 3 cases, "
        "drifted by 1 % (1.980 Top/s to 2.000 Top/s)");
    assert_string_equal(finding->keys[0], "loads/load=Texture2D<R8>.Load/pattern=linear");
    assert_string_equal(finding->keys[1], "loads/load=cbuffer{float4} load/pattern=random");
    run_destroy(run);
}

// Adds a case with a count over 1000 cycles of cores.
static void add_counted(struct run *run, const char *load, const char *name, double count)
{
    struct result *result = add(run, load, "linear", 1e12, 0.01);
    result->counters = ARENA_ARRAY(run->arena, 3, struct counter);
    result->counter_count = 3;
    result->counters[0] = (struct counter){"active_cycles", UNIT_CYCLE, 1000, NAN, 1, 1};
    result->counters[1] = (struct counter){"issue_slots", UNIT_CYCLE, 1000, NAN, 1, 1};
    result->counters[2] = (struct counter){name, UNIT_NONE, count, NAN, 1, 1};
}

static void the_busiest_unit_is_named_for_the_cases_that_it_limits(void **state)
{
    (void)state;
    struct run *run = new_run();
    add_counted(run, "Texture2D<RGBA8>.Sample(bilinear)", "texture_filter", 990);
    add_counted(run, "Texture2D<R8>.Sample(bilinear)", "texture_filter", 850);
    add_counted(run, "StructuredBuffer<float4>.Load", "l1_data", 970);
    add_counted(run, "ByteAddressBuffer.Load3", "l1_data", 790); // no unit is busy enough
    add_counted(run, "StructuredBuffer<float2>.Load", "issue_slots",
                1000); // a quarter of all slots
    bench_loads.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "loads-bound");
    assert_non_null(strstr(run->findings[0].text, "limits 1 case of loads: the data of the L1, "
                                                  "busy in 97 to 97 % of the cycles "
                                                  "(StructuredBuffer<float4>.Load linear)"));
    assert_int_equal(run->findings[1].key_count, 2);
    assert_true(run->findings[1].value == 0.85);
    assert_non_null(strstr(run->findings[1].text, "the filters of the texture units"));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_unit_is_named_for_the_cases_that_it_limits),
        cmocka_unit_test(a_difference_becomes_a_sentence_that_names_its_cases),
        cmocka_unit_test(no_difference_is_said_as_well),
        cmocka_unit_test(what_the_intervals_leave_open_is_not_said),
        cmocka_unit_test(skipped_cases_and_other_benchmarks_back_nothing),
        cmocka_unit_test(how_far_the_baseline_drifted_is_said_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
