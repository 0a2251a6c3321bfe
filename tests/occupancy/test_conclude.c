// SPDX-License-Identifier: MIT
// The sentences about what a core holds, from the counts of a core with 65536 registers.
#include "case_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_occupancy;

struct count {
    const char *param;
    uint64_t value, subgroup;
    double registers, workgroups;
};

static void add(struct run *run, const char *device, const struct count *count)
{
    double subgroups = count->workgroups * 64 / (double)count->subgroup;
    struct case_value values[] = {
        {.key = count->param, .type = PARAM_UINT, .uint = count->value},
        {.key = "subgroup", .type = PARAM_UINT, .uint = count->subgroup},
    };
    struct metric metrics[] = {
        {.name = "workgroups", .median = count->workgroups},
        {.name = "subgroups", .median = subgroups},
        {.name = "registers", .median = count->registers},
    };
    case_result_add(run, &(struct result){.benchmark = "occupancy",
                                          .device = device,
                                          .bench_case = {values, COUNT(values)},
                                          .metrics = metrics,
                                          .metric_count = COUNT(metrics)});
}

static struct run *make_run(const struct count *counts, size_t count)
{
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    for (size_t i = 0; i < count; i++)
        add(run, "cuda:0", &counts[i]);
    return run;
}

static void registers_and_shared_memory_have_a_sentence_each(void **state)
{
    (void)state;
    static const struct count counts[] = {{"values", 88, 32, 96, 10},
                                          {"values", 120, 32, 128, 8},
                                          {"shared", 16384, 32, 20, 13},
                                          {"shared", 32768, 32, 20, 6}};
    struct run *run = make_run(counts, 4);
    bench_occupancy.conclude(run, "cuda:0");
    assert_int_equal(run->finding_count, 2);
    assert_non_null(strstr(run->findings[0].text, "subgroups of 32 threads"));
    assert_non_null(strstr(run->findings[0].text, "96: 20, 128: 16"));
    assert_true(run->findings[0].value == 16);
    assert_non_null(strstr(run->findings[1].text, "16 KiB: 13, 32 KiB: 6"));
    run_destroy(run);
}

static void each_size_of_subgroups_has_its_own(void **state)
{
    (void)state;
    static const struct count counts[] = {{"values", 88, 32, 96, 10},
                                          {"values", 88, 64, 96, 12},
                                          {"values", 120, 32, 128, 8},
                                          {"values", 120, 64, 128, 8}};
    struct run *run = make_run(counts, 4);
    bench_occupancy.conclude(run, "cuda:0");
    assert_int_equal(run->finding_count, 2);
    assert_non_null(strstr(run->findings[0].text, "96: 20, 128: 16"));
    assert_non_null(strstr(run->findings[1].text, "96: 12, 128: 8"));
    run_destroy(run);
}

static void without_registers_or_with_one_case_nothing_is_told(void **state)
{
    (void)state;
    static const struct count counts[] = {
        {"values", 88, 32, NAN, 10}, {"values", 120, 32, NAN, 8}, {"shared", 16384, 32, 20, 13}};
    struct run *run = make_run(counts, 3);
    bench_occupancy.conclude(run, "cuda:0");
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_and_shared_memory_have_a_sentence_each),
        cmocka_unit_test(each_size_of_subgroups_has_its_own),
        cmocka_unit_test(without_registers_or_with_one_case_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
