// SPDX-License-Identifier: MIT
// Tests which latency curve of a run is taken and what is reported about its levels. How well
// levels are found in curves is tested in tests/levels.
#include "analysis/levels.h"
#include "golden/golden.h"

#include <math.h>
#include <stdint.h>

static const struct param_info params[] = {
    {.key = "path", .type = PARAM_TEXT, .role = PARAM_AXIS},
    {.key = "bytes", .type = PARAM_BYTES, .unit = UNIT_BYTE, .role = PARAM_AXIS},
};
static const struct metric_info in_cycles_too[] = {
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
    {.name = "latency_cycles", .unit = UNIT_CYCLE, .better = BETTER_LOWER, .cycles_of = "latency"},
};
static const struct headline_info by_bytes[] = {
    {.kind = HEADLINE_LEVELS, .metric = "latency", .by = "bytes"},
};
static const struct benchmark_info latency = {.name = "latency",
                                              .version = 1,
                                              .params = params,
                                              .param_count = 2,
                                              .metrics = in_cycles_too,
                                              .metric_count = 2,
                                              .headlines = by_bytes,
                                              .headline_count = 1};

// Returns an empty run of that benchmark on these devices.
static struct run *run_of(const struct benchmark_info *benchmark, size_t devices)
{
    static const char *const ids[] = {"vulkan:0", "cuda:0"};
    struct run *run = run_create();
    run_add_benchmark(run, benchmark);
    for (size_t i = 0; i < devices; i++)
        run_add_device(run)->id = ids[i];
    return run;
}

static void add_findings(struct run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        levels_add_findings(run, run->devices[i].id);
}

static void add_case(struct run *run, const char *device, const char *path, double octave,
                     double ns)
{
    struct result *result = run_add_result(run);
    uint64_t bytes = (uint64_t)round(exp2(octave));
    result->benchmark = "latency";
    result->version = 1;
    result->device = device;
    result->bench_case.values = ARENA_ARRAY(run->arena, 2, struct case_value);
    result->bench_case.values[0] =
        (struct case_value){.key = "path", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = path};
    result->bench_case.values[1] =
        (struct case_value){.key = "bytes", .type = PARAM_BYTES, .role = PARAM_AXIS, .uint = bytes};
    result->bench_case.value_count = 2;
    result->key = case_key(run->arena, "latency", &result->bench_case);
    result->metrics = ARENA_NEW(run->arena, struct metric);
    *result->metrics = (struct metric){.name = "latency",
                                       .unit = UNIT_NS,
                                       .median = ns,
                                       .ci95 = {ns * 0.999, ns * 1.001},
                                       .n = 16};
    result->metric_count = 1;
}

// 10 ns up to 32 KiB, 50 ns up to 4 MiB, then 200 ns; from 1 KiB to 64 MiB, twelve points per
// octave.
static void add_staircase(struct run *run, const char *device, const char *path)
{
    for (int i = 10 * 12; i <= 26 * 12; i++) {
        double octave = i / 12.0;
        add_case(run, device, path, octave, octave < 15.01 ? 10 : octave < 22.01 ? 50 : 200);
    }
}

static void assert_level(const struct finding *finding, const char *device, double bytes)
{
    assert_string_equal(finding->code, "level");
    assert_string_equal(finding->device, device);
    assert_true(fabs(log2(finding->value / bytes)) < 1.0 / 12);
    assert_int_equal(finding->key_count, 2);
}

static void each_step_of_a_staircase_is_a_finding(void **state)
{
    (void)state;
    struct run *run = run_of(&latency, 1);
    add_staircase(run, "vulkan:0", "vector");
    add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_level(&run->findings[0], "vulkan:0", 32 << 10);
    assert_level(&run->findings[1], "vulkan:0", 4 << 20);
    const char *text = run->findings[0].text;
    assert_non_null(strstr(text, "(95 %: "));
    assert_non_null(strstr(text, "level 1: 10.00 ns up to "));
    assert_non_null(strstr(text, "), then 50.00 ns"));
    assert_non_null(run_find(run, "vulkan:0", run->findings[0].keys[0]));
    assert_string_equal(run->findings[0].name, "L1");
    assert_string_equal(run->findings[1].name, "L2");
    run_destroy(run);
}

static void the_levels_of_an_earlier_fathom_are_named_when_they_are_read(void **state)
{
    (void)state;
    // Given: findings without names, not in order; others that name no level of the device.
    static const struct finding findings[] = {
        {.code = "level", .text = "third", .device = "vulkan:0", .value = 57e6},
        {.code = "level", .text = "first", .device = "vulkan:0", .value = 230e3},
        {.code = "level", .text = "second", .device = "vulkan:0", .value = 28e6},
        {.code = "level", .text = "fourth", .device = "vulkan:0", .value = 400e6},
        {.code = "level", .text = "no size", .device = "vulkan:0", .value = NAN},
        {.code = "level", .text = "another's", .device = "cuda:0", .value = 100e3},
        {.code = "level", .text = "named", .name = "LLC", .device = "cuda:0", .value = 200e3},
        {.code = "said", .text = "more", .device = "vulkan:0", .value = 1e6},
    };
    static const char *const names[] = {"far L2", "L1", "near L2", "L3", NULL, "L1", "LLC", NULL};
    struct run *run = run_of(&latency, 2);
    for (size_t i = 0; i < COUNT(findings); i++)
        *run_add_finding(run) = findings[i];
    add_findings(run);
    assert_int_equal(run->finding_count, COUNT(findings));
    for (size_t i = 0; i < COUNT(findings); i++)
        if (names[i])
            assert_string_equal(run->findings[i].name, names[i]);
        else
            assert_null(run->findings[i].name);
    run_destroy(run);
}

// What `map` found about a level by the chains that show its lines.
static const struct param_info map_params[] = {{.key = "level", .type = PARAM_UINT}};
static const struct metric_info map_metrics[] = {{.name = "size", .unit = UNIT_BYTE}};
static const struct headline_info map_headlines[] = {
    {.kind = HEADLINE_LEVELS, .metric = "size", .where = "what=level", .by = "level"},
};
static const struct benchmark_info map = {.name = "map",
                                          .version = 1,
                                          .params = map_params,
                                          .param_count = 1,
                                          .metrics = map_metrics,
                                          .metric_count = 1,
                                          .headlines = map_headlines,
                                          .headline_count = 1};

static void add_mapped_size(struct run *run, const char *device, uint64_t level, double bytes)
{
    struct result *result = run_add_result(run);
    result->benchmark = "map";
    result->version = 1;
    result->device = device;
    struct case_value *values = ARENA_ARRAY(run->arena, 3, struct case_value);
    values[0] = (struct case_value){.key = "what", .type = PARAM_TEXT, .text = "level"};
    values[1] = (struct case_value){.key = "path", .type = PARAM_TEXT, .text = "vector"};
    values[2] = (struct case_value){.key = "level", .type = PARAM_UINT, .uint = level};
    result->bench_case = (struct bench_case){values, 3};
    result->key = case_key(run->arena, "map", &result->bench_case);
    result->metrics = ARENA_NEW(run->arena, struct metric);
    *result->metrics = (struct metric){.name = "size",
                                       .unit = UNIT_BYTE,
                                       .median = bytes,
                                       .ci95 = {bytes * 0.99, bytes * 1.01},
                                       .n = 16};
    result->metric_count = 1;
}

static void a_size_that_map_corrected_is_the_one_reported(void **state)
{
    (void)state;
    // given a chain that ends at 32 KiB in a cache of 8 KiB with short lines, and one that ends at
    // 4 MiB in a cache of that size
    struct run *run = run_of(&latency, 1);
    run_add_benchmark(run, &map);
    add_staircase(run, "vulkan:0", "vector");
    add_mapped_size(run, "vulkan:0", 1, 8 << 10);
    add_mapped_size(run, "vulkan:0", 2, 4 << 20);
    // when the levels are found
    add_findings(run);
    // then the text of the first level has both sizes, and its value is the size at which the curve
    // steps
    assert_int_equal(run->finding_count, 2);
    const char *first = run->findings[0].text, *second = run->findings[1].text;
    assert_non_null(
        strstr(first, "up to 8 KiB (95 %: 7.92 KiB to 8.08 KiB; found with a chain over 3"));
    assert_level(&run->findings[0], "vulkan:0", 32 << 10);
    assert_non_null(strstr(second, "level 2: 50.00 ns up to 4 MiB (95 %: "));
    assert_null(strstr(second, "chain"));
    run_destroy(run);
}

static void a_step_that_is_no_cache_of_the_map_is_not_reported(void **state)
{
    (void)state;
    // given a curve with steps at 32 KiB and 4 MiB, of which the map took one for the end of a
    // cache
    struct run *run = run_of(&latency, 1);
    run_add_benchmark(run, &map);
    add_staircase(run, "vulkan:0", "vector");
    add_mapped_size(run, "vulkan:0", 1, 4 << 20);
    // when the levels are found
    add_findings(run);
    // then only the level of the cache has a finding
    assert_int_equal(run->finding_count, 1);
    assert_level(&run->findings[0], "vulkan:0", 4 << 20);
    assert_non_null(strstr(run->findings[0].text, "level 1: 50.00 ns up to 4 MiB (95 %: "));
    run_destroy(run);
}

static void a_level_of_the_map_without_a_number_is_ignored(void **state)
{
    (void)state;
    // given a run file of which one result of `map` lacks the number of its level
    struct run *run = run_of(&latency, 1);
    run_add_benchmark(run, &map);
    add_staircase(run, "vulkan:0", "vector");
    add_mapped_size(run, "vulkan:0", 1, 4 << 20);
    add_mapped_size(run, "vulkan:0", 2, 8 << 20);
    run->results[run->result_count - 1]->bench_case.value_count = 2;
    // when
    add_findings(run);
    // then
    assert_int_equal(run->finding_count, 1);
    assert_level(&run->findings[0], "vulkan:0", 4 << 20);
    run_destroy(run);
}

static void they_are_reported_once_and_for_each_device(void **state)
{
    (void)state;
    struct run *run = run_of(&latency, 2);
    add_staircase(run, "vulkan:0", "vector");
    add_staircase(run, "cuda:0", "vector");
    add_findings(run);
    add_findings(run);
    assert_int_equal(run->finding_count, 4);
    assert_level(&run->findings[2], "cuda:0", 32 << 10);
    run_destroy(run);
}

static void the_longest_curve_decides(void **state)
{
    (void)state;
    struct run *run = run_of(&latency, 1);
    for (int i = 10 * 4; i <= 20 * 4; i++) // a flat and shorter curve
        add_case(run, "vulkan:0", "shared", i / 4.0, 9);
    add_staircase(run, "vulkan:0", "vector");
    add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_non_null(strstr(run->findings[0].keys[0], "path=vector"));
    run_destroy(run);
}

static void other_paths_are_reported_in_a_line_each(void **state)
{
    (void)state;
    struct run *run = run_of(&latency, 1);
    for (int i = 10 * 4; i <= 20 * 4; i++)
        add_case(run, "vulkan:0", "texel", i / 4.0, i <= 14 * 4 ? 40 : 90);
    add_staircase(run, "vulkan:0", "vector");
    add_findings(run);
    assert_int_equal(run->finding_count, 3);
    assert_string_equal(run->findings[2].code, "path-levels");
    assert_true(run->findings[2].value > 0.5 && run->findings[2].value < 1.5);
    assert_non_null(strstr(run->findings[2].text, "texel: 40.00 ns up to "));
    assert_non_null(strstr(run->findings[2].text, ", then 90.00 ns"));
    run_destroy(run);
}

static void what_is_no_staircase_has_no_levels(void **state)
{
    (void)state;
    struct run *few = run_of(&latency, 1), *rising = run_of(&latency, 1);
    for (int i = 0; i < 7; i++)
        add_case(few, "vulkan:0", "vector", 10 + i, i < 4 ? 10 : 50);
    for (int i = 10 * 12; i <= 26 * 12; i++)
        add_case(rising, "vulkan:0", "vector", i / 12.0, pow(1.3, i / 12.0));
    add_findings(few);
    add_findings(rising);
    assert_int_equal(few->finding_count, 0);
    assert_int_equal(rising->finding_count, 1);
    assert_string_equal(rising->findings[0].code, "levels-unknown");
    assert_non_null(
        strstr(rising->findings[0].text, "vulkan:0: could not separate the cache levels"));
    run_destroy(few);
    run_destroy(rising);
}

static void a_benchmark_that_declares_no_levels_has_none(void **state)
{
    (void)state;
    struct benchmark_info transfer = latency;
    transfer.headline_count = 0;
    struct run *run = run_of(&transfer, 1);
    add_staircase(run, "vulkan:0", "vector");
    add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void failed_cases_do_not_count(void **state)
{
    (void)state;
    struct run *run = run_of(&latency, 1);
    add_staircase(run, "vulkan:0", "vector");
    for (size_t i = 0; i < run->result_count; i++)
        run->results[i]->verdict = VERDICT_FAILED;
    add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void disturb(struct run *run, size_t i)
{
    result_flag(run->arena, run->results[i], VERDICT_SUSPECT, "shared-device", "%s", "other work");
}

static void no_level_rests_on_cases_that_other_work_disturbed(void **state)
{
    (void)state;
    // Given a staircase of which other work slowed every fourth case,
    struct run *run = run_of(&latency, 1);
    add_staircase(run, "vulkan:0", "vector");
    for (size_t i = 0; i < run->result_count; i += 4) {
        run->results[i]->metrics[0].median *= 1.3;
        disturb(run, i);
    }
    // then its levels are those of the other cases.
    add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_level(&run->findings[0], "vulkan:0", 32 << 10);
    assert_null(strstr(run->findings[0].text, "disturbed"));
    run_destroy(run);
    // When half of the cases are disturbed, then there are no levels.
    run = run_of(&latency, 1);
    add_staircase(run, "vulkan:0", "vector");
    for (size_t i = 0; i < run->result_count; i += 2)
        disturb(run, i);
    add_findings(run);
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "levels-unknown");
    assert_non_null(strstr(run->findings[0].text, "other work disturbed most sizes"));
    run_destroy(run);
}

// The card's L1 has 256 KiB minus the part that the driver keeps. Its L2 has two halves of 30 MB,
// of which the farther one is slower.
static void an_h200_shows_its_l1_and_both_halves_of_its_l2(void **state)
{
    (void)state;
    static const char *const runs[] = {"h200-vulkan-standard", "h200-vulkan-standard-2"};
    for (size_t r = 0; r < 2; r++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../reference/%s.json", TESTS_DIR, runs[r]);
        struct run *run = golden_run(path);
        run->finding_count = 0;
        add_findings(run);
        assert_true(run->finding_count > 3);
        static const char *const names[] = {"L1", "near L2", "far L2"};
        const double low[] = {180 << 10, 25e6, 55e6}, high[] = {256 << 10, 31e6, 62e6};
        for (size_t i = 0; i < 3; i++) {
            assert_string_equal(run->findings[i].code, "level");
            assert_true(run->findings[i].value > low[i] && run->findings[i].value < high[i]);
            assert_non_null(strstr(run->findings[i].text, " cycles)"));
            assert_string_equal(run->findings[i].name, names[i]);
        }
        for (size_t i = 3; i < run->finding_count; i++)
            assert_string_equal(run->findings[i].code, "path-levels");
        run_destroy(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_of_a_staircase_is_a_finding),
        cmocka_unit_test(the_levels_of_an_earlier_fathom_are_named_when_they_are_read),
        cmocka_unit_test(a_size_that_map_corrected_is_the_one_reported),
        cmocka_unit_test(a_step_that_is_no_cache_of_the_map_is_not_reported),
        cmocka_unit_test(a_level_of_the_map_without_a_number_is_ignored),
        cmocka_unit_test(they_are_reported_once_and_for_each_device),
        cmocka_unit_test(the_longest_curve_decides),
        cmocka_unit_test(other_paths_are_reported_in_a_line_each),
        cmocka_unit_test(what_is_no_staircase_has_no_levels),
        cmocka_unit_test(a_benchmark_that_declares_no_levels_has_none),
        cmocka_unit_test(failed_cases_do_not_count),
        cmocka_unit_test(no_level_rests_on_cases_that_other_work_disturbed),
        cmocka_unit_test(an_h200_shows_its_l1_and_both_halves_of_its_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
