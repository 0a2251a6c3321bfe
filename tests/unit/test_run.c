// SPDX-License-Identifier: MIT
#include "golden/rich_run.h"
#include "results/names.h"
#include "results/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_key_holds_the_axes_in_order_and_nothing_else(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct bench_case bench_case = rich_case(arena, "vector", 32768);
    assert_string_equal(case_key(arena, "latency", &bench_case),
                        "latency/path=vector/bytes=32768/density=0.1");
    bench_case.value_count = 0;
    assert_string_equal(case_key(arena, "launch", &bench_case), "launch");
    arena_destroy(arena);
}

static void values_are_found_by_key(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct bench_case bench_case = rich_case(arena, "scalar", UINT64_MAX);
    assert_string_equal(case_text(&bench_case, "path"), "scalar");
    assert_true(case_uint(&bench_case, "bytes") == UINT64_MAX);
    assert_true(case_real(&bench_case, "density") == 0.1);
    assert_null(case_find(&bench_case, "byte"));
    arena_destroy(arena);
}

static void a_case_matches_where_it_has_all_the_values(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct bench_case bench_case = rich_case(arena, "scalar", 32768);
    static const struct {
        const char *where;
        bool matches;
    } asked[] = {{NULL, true},
                 {"", true},
                 {"path=scalar", true},
                 {"path=scalar,bytes=32768,density=0.1", true},
                 {"path=vector|scalar", true},
                 {"path=vector|scala", false},
                 {"path=scalar|vector,bytes=1", false},
                 {"path=scal", false},
                 {"pat=scalar", false},
                 {"bytes=32768,route=any", false}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (case_matches(&bench_case, asked[i].where) != asked[i].matches)
            fail_msg("%s", asked[i].where);
    arena_destroy(arena);
}

static void the_shortest_text_reads_back_exactly(void **state)
{
    (void)state;
    char text[REAL_BYTES];
    const double values[] = {0.1, 1.0 / 3, 5e-324, -1.7976931348623157e308, -2.5, 1e22, 4096};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        real_format(values[i], text);
        assert_true(strtod(text, NULL) == values[i]);
    }
    real_format(0.1, text);
    assert_string_equal(text, "0.1");
    real_format(4096, text);
    assert_string_equal(text, "4096");
}

// A number is written with 15, 16 or 17 digits: as few as a search without short cuts needs.
static void the_digits_are_the_fewest(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252;
    for (size_t i = 0; i < 30000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        // Any double, then one close to 0, then one of some 15 or 16 digits.
        uint64_t chosen = i % 3 == 1 ? bits >> 12 : bits;
        double value;
        memcpy(&value, &chosen, sizeof value);
        value = i % 3 == 2 ? (double)(bits >> (12 + i % 5)) * 1e-7 : value;
        if (!isfinite(value))
            continue;
        char text[REAL_BYTES], wanted[REAL_BYTES];
        int digits = 15;
        do
            snprintf(wanted, sizeof wanted, "%.*g", digits, value);
        while (strtod(wanted, NULL) != value && digits++ < 17);
        real_format(value, text);
        assert_string_equal(text, wanted);
    }
}

static void a_verdict_only_gets_worse(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct result result = {.verdict = VERDICT_OK};
    result_flag(arena, &result, VERDICT_FAILED, "mismatch", "hop %d", 3);
    result_flag(arena, &result, VERDICT_SUSPECT, "correlated", "lag");
    assert_int_equal(result.verdict, VERDICT_FAILED);
    assert_int_equal(result.reason_count, 2);
    assert_string_equal(result.reasons[0].text, "hop 3");
    assert_string_equal(result.reasons[1].code, "correlated");
    arena_destroy(arena);
}

static void the_reason_of_the_verdict_is_the_first(void **state)
{
    (void)state;
    static const char *const codes[] = {"few", "correlated", "imprecise", "throttled"};
    struct arena *arena = arena_create();
    struct result result = {.verdict = VERDICT_OK};
    // Given two remarks, then two reasons against the result.
    result_flag(arena, &result, VERDICT_OK, codes[2], "noisy: ±1.2 %%");
    result_flag(arena, &result, VERDICT_OK, codes[3], "power limit");
    result_flag(arena, &result, VERDICT_SUSPECT, codes[0], "3 samples");
    result_flag(arena, &result, VERDICT_SUSPECT, codes[1], "the value drifted");
    // Then the first reason against it stands first: a card shows only one. The others keep their
    // order.
    static const int order[] = {0, 2, 3, 1};
    assert_int_equal(result.reason_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(result.reasons[i].code, codes[order[i]]);
    arena_destroy(arena);
}

static void the_same_flag_in_every_round_is_one_reason(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct result result = {.verdict = VERDICT_OK};
    for (int round = 0; round < 5; round++)
        result_flag(arena, &result, VERDICT_SUSPECT, "issue-bound", "the loop is too short");
    assert_int_equal(result.reason_count, 1);
    arena_destroy(arena);
}

static void a_conclusion_from_a_disturbed_result_says_so(void **state)
{
    (void)state;
    struct run *run = run_create();
    struct result *one = run_add_result(run), *other = run_add_result(run);
    one->device = other->device = "cuda:0";
    one->key = other->key = "launch";
    // Given a result with a remark about other work, then a conclusion says nothing of it.
    result_flag(run->arena, one, VERDICT_OK, "shared-device", "%s", "0.3 %");
    run_add_conclusion(run, "launch-fit", 1, one, other, "%d ns", 7);
    assert_string_equal(run->findings[0].text, "cuda:0: 7 ns");
    // Given a result that is suspect because of other work, then it does.
    result_flag(run->arena, other, VERDICT_SUSPECT, "shared-device", "%s", "40 %");
    run_add_conclusion(run, "launch-fit", 1, one, other, "%d ns", 7);
    assert_string_equal(run->findings[1].text, "cuda:0: 7 ns; but other work disturbed this");
    run_destroy(run);
}

static void the_last_result_of_a_key_is_found_on_its_device(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct result *again = rich_result(run, "vector", 32768);
    const char *key = again->key;
    assert_ptr_equal(run_find(run, "vulkan:0", key), again);
    assert_null(run_find(run, "opencl:0", key));
    assert_null(run_find(run, "vulkan:0", "latency"));
    run_destroy(run);
}

static void results_stay_where_they_are_while_the_run_grows(void **state)
{
    (void)state;
    struct run *run = run_create();
    struct result *first = run_add_result(run);
    first->key = "first";
    for (int i = 0; i < 1000; i++)
        run_add_result(run)->key = "other";
    assert_ptr_equal(run->results[0], first);
    assert_string_equal(run->results[0]->key, "first");
    assert_int_equal(run->result_count, 1001);
    run_destroy(run);
}

static void a_new_result_claims_nothing_of_its_kernel(void **state)
{
    (void)state;
    struct run *run = run_create();
    struct result *result = run_add_result(run);
    assert_null(result->kernel.hash);
    assert_true(isnan(result->kernel.registers));
    assert_true(isnan(run_add_finding(run)->value));
    run_destroy(run);
    run_destroy(NULL);
}

static void metrics_and_benchmarks_are_found_by_name(void **state)
{
    (void)state;
    struct run *run = rich_run();
    const struct metric *metric = result_metric(run->results[0], "latency_cycles");
    assert_non_null(metric);
    assert_int_equal(metric->unit, UNIT_CYCLE);
    assert_null(result_metric(run->results[0], "bandwidth"));
    assert_ptr_equal(run_benchmark(run, "latency"), &rich_benchmark);
    assert_null(run_benchmark(run, "loads"));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_holds_the_axes_in_order_and_nothing_else),
        cmocka_unit_test(values_are_found_by_key),
        cmocka_unit_test(a_case_matches_where_it_has_all_the_values),
        cmocka_unit_test(the_shortest_text_reads_back_exactly),
        cmocka_unit_test(the_digits_are_the_fewest),
        cmocka_unit_test(a_verdict_only_gets_worse),
        cmocka_unit_test(the_reason_of_the_verdict_is_the_first),
        cmocka_unit_test(the_same_flag_in_every_round_is_one_reason),
        cmocka_unit_test(a_conclusion_from_a_disturbed_result_says_so),
        cmocka_unit_test(the_last_result_of_a_key_is_found_on_its_device),
        cmocka_unit_test(results_stay_where_they_are_while_the_run_grows),
        cmocka_unit_test(a_new_result_claims_nothing_of_its_kernel),
        cmocka_unit_test(metrics_and_benchmarks_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
