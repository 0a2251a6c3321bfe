// SPDX-License-Identifier: MIT
// The findings about preemption, from a run made by hand.
#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_preempt;

static struct result *add(struct run *run, const char *hog, const char *priority, double response)
{
    static const char *ways[] = {"co-resident", "at a boundary"};
    static double counts[] = {3, 1};
    static struct series entered = {
        .name = "entered", .columns = ways, .column_count = 2, .data = counts, .row_count = 1};
    struct result *result = run_add_result(run);
    *result = (struct result){.benchmark = "preempt",
                              .device = "vulkan:0",
                              .series = &entered,
                              .series_count = 1,
                              .metric_count = 1};
    result->bench_case.values = ARENA_ARRAY(run->arena, 3, struct case_value);
    result->bench_case.value_count = 3;
    result->bench_case.values[0] =
        (struct case_value){.key = "hog", .type = PARAM_TEXT, .text = hog};
    result->bench_case.values[1] =
        (struct case_value){.key = "setting", .type = PARAM_TEXT, .text = "queues"};
    result->bench_case.values[2] =
        (struct case_value){.key = "priority", .type = PARAM_TEXT, .text = priority};
    result->key = case_key(run->arena, "preempt", &result->bench_case);
    result->metrics = ARENA_ARRAY(run->arena, 1, struct metric);
    result->metrics[0] = (struct metric){.name = "response",
                                         .unit = UNIT_NS,
                                         .median = response,
                                         .ci95 = {response * 0.9, response * 1.1}};
    return result;
}

static void each_hog_has_a_finding_over_all_priorities(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    add(run, "none", "medium", 1.9e6);
    add(run, "big-dispatch", "medium", 50e6);
    add(run, "none", "high", 1.8e6);
    add(run, "big-dispatch", "high", 2e6);
    add(run, "slow-shader", "high", 2e6)->verdict = VERDICT_FAILED;
    bench_preempt.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 2);
    assert_non_null(strstr(run->findings[0].text, "urgent work on another queue, without a hog: "));
    assert_non_null(
        strstr(run->findings[1].text,
               "on another queue, behind big-dispatch: 50.00 ms at medium priority (3 of 4 "
               "co-resident, 1 at a boundary), 2.000 ms at high priority"));
    assert_non_null(strstr(run->findings[1].text, "published: GTX 1070 blocked"));
    assert_non_null(
        strstr(run->findings[1].text, "; with the priority it takes 0.04 times as long"));
    assert_null(strstr(run->findings[0].text, "the priority")); // without a hog, it has no effect
    assert_true(run->findings[1].value == 50e6);
    assert_int_equal(run->findings[1].key_count, 2);
    run_destroy(run);
}

static void what_it_costs_is_said(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    struct result *result = add(run, "slow-shader", "medium", 78e6);
    struct metric *more = ARENA_ARRAY(run->arena, 3, struct metric);
    more[0] = result->metrics[0];
    more[1] = (struct metric){.name = "misses", .median = 0.4};
    more[2] = (struct metric){.name = "hog_slowdown", .median = 1.284};
    result->metrics = more;
    result->metric_count = 3;
    bench_preempt.conclude(run, "vulkan:0");
    assert_non_null(strstr(run->findings[0].text,
                           "78.00 ms at medium priority (40 % of deadlines missed; the hog takes "
                           "1.28 times as long; 3 of 4 co-resident"));
    run_destroy(run);
}

static void a_priority_that_changes_nothing_is_called_that(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    add(run, "baseline", "medium", 2.2e6);
    add(run, "baseline", "highest", 2.3e6);
    bench_preempt.conclude(run, "vulkan:0");
    assert_non_null(strstr(run->findings[0].text, "; the priority makes no measurable difference"));
    run_destroy(run);
}

static void the_tail_is_a_quantile_where_there_are_answers_enough(void **state)
{
    (void)state;
    static const char *columns[] = {"p", "response"};
    static double many[] = {0.5, 2e6, 0.99, 3e6, 1, 9e6}, few[] = {0.5, 2e6, 1, 9e6};
    static struct series quantiles[2] = {
        {.name = "quantiles", .columns = columns, .column_count = 2, .data = many, .row_count = 3},
        {.name = "quantiles", .columns = columns, .column_count = 2, .data = few, .row_count = 2}};
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    add(run, "baseline", "medium", 2e6)->series = &quantiles[0];
    add(run, "slow-shader", "medium", 2e6)->series = &quantiles[1];
    bench_preempt.conclude(run, "vulkan:0");
    assert_non_null(
        strstr(run->findings[0].text, "2.000 ms at medium priority (99 % within 3.000 ms)"));
    assert_non_null(
        strstr(run->findings[1].text, "2.000 ms at medium priority (the longest 9.000 ms)"));
    run_destroy(run);
}

static void a_lower_bound_and_dropped_deadlines_are_called_that(void **state)
{
    (void)state;
    static const char *columns[] = {"p", "response", "at_least"};
    static double rows[] = {0.5, 2e6, 0, 0.95, 355e6, 1};
    static struct series quantiles = {
        .name = "quantiles", .columns = columns, .column_count = 3, .data = rows, .row_count = 2};
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    // Given a lower bound at medium priority, a known answer at high priority, and the same case
    // with dropped deadlines
    struct result *bound = add(run, "slow-shader", "medium", 300e6);
    bound->metrics[0].at_least = true;
    bound->series = &quantiles;
    add(run, "slow-shader", "high", 2e6);
    struct result *dropping = add(run, "slow-shader", "medium", 3.65e6);
    struct case_value *values = ARENA_ARRAY(run->arena, 4, struct case_value);
    memcpy(values, dropping->bench_case.values, 3 * sizeof *values);
    values[3] = (struct case_value){.key = "arrivals", .type = PARAM_TEXT, .text = "closed"};
    dropping->bench_case = (struct bench_case){values, 4};
    bench_preempt.conclude(run, "vulkan:0");
    // Then the bound is compared with nothing, and dropped deadlines have their own finding.
    assert_int_equal(run->finding_count, 2);
    assert_non_null(strstr(run->findings[0].text, "at least 300.0 ms at medium priority (the "
                                                  "slowest 5 % take at least 355.0 ms)"));
    assert_null(strstr(run->findings[0].text, "with the priority"));
    assert_non_null(strstr(run->findings[1].text, "which drops deadlines while it waits, behind "
                                                  "slow-shader: 3.650 ms at medium priority"));
    run_destroy(run);
}

// Adds a case with three actors. `late_ns` is the application's median lateness.
static void add_three(struct run *run, const char *hog, double app, double compositor,
                      double app_misses, double late_ns)
{
    struct result *result = add(run, hog, "highest", 0.4e6);
    struct case_value *values = ARENA_ARRAY(run->arena, 4, struct case_value);
    memcpy(values, result->bench_case.values, 3 * sizeof *values);
    values[3] = (struct case_value){.key = "actors", .type = PARAM_TEXT, .text = "three"};
    result->bench_case = (struct bench_case){values, 4};
    struct metric *metrics = ARENA_ARRAY(run->arena, 8, struct metric);
    metrics[0] = result->metrics[0];
    metrics[1] = (struct metric){.name = "app_frames", .unit = UNIT_HZ, .median = app};
    metrics[2] = (struct metric){.name = "frames", .unit = UNIT_HZ, .median = compositor};
    metrics[3] = (struct metric){.name = "app_misses", .median = app_misses};
    metrics[4] = (struct metric){.name = "misses", .median = 0};
    metrics[5] = (struct metric){.name = "app_late", .unit = UNIT_NS, .median = late_ns};
    metrics[6] = (struct metric){
        .name = "app_late_p99", .unit = UNIT_NS, .median = 4 * late_ns, .at_least = true};
    metrics[7] = (struct metric){.name = "late", .unit = UNIT_NS, .median = 0};
    result->metrics = metrics;
    result->metric_count = 8;
    result->details = ARENA_NEW(run->arena, struct named_text);
    *result->details = (struct named_text){"priority", "realtime: the driver accepted it"};
    result->detail_count = 1;
}

static void who_starves_of_three_actors_is_said_with_the_frames(void **state)
{
    (void)state;
    static const struct {
        const char *hog;
        double app, compositor;
        const char *text;
    } cases[] = {
        {"big-dispatch", 8, 90,
         "big dispatches starve the application (8 of 90 frames) and not the compositor (90 of "
         "90)"},
        {"slow-shader", 8, 10,
         "slow shaders starve the application (8 of 90 frames) and the compositor (10 of 90)"},
        {"many-draws", 8, 60,
         "many draws starve the application (8 of 90 frames) and slow the compositor (60 of 90)"},
        {"baseline", 88.5, 90,
         "frames of 7 ms slow neither the application (88 of 90 frames) nor the compositor (90 of "
         "90)"},
        {"many-dispatches", 90, 20,
         "many dispatches starve the compositor (20 of 90) and not the application (90 of 90 "
         "frames)"},
        {"none", 90, 90,
         "without a hog: the application (90 of 90 frames) and the compositor (90 of 90)"},
    };
    enum {
        COUNT_OF_CASES = sizeof cases / sizeof *cases
    };
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    for (size_t i = 0; i < COUNT_OF_CASES; i++)
        add_three(run, cases[i].hog, cases[i].app, cases[i].compositor, 0.9, 50e6);
    // Given also a case of two actors, which has its own finding
    add(run, "big-dispatch", "highest", 2e6);
    bench_preempt.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, COUNT_OF_CASES + 1);
    for (size_t i = 0; i < COUNT_OF_CASES; i++) {
        assert_string_equal(run->findings[i].code, "preempt-actors");
        assert_non_null(strstr(run->findings[i].text, cases[i].text));
        assert_true(run->findings[i].value == cases[i].app);
    }
    // Then the first also states setting, priority, lateness and the published value.
    assert_non_null(strstr(
        run->findings[0].text,
        ", on three queues, the compositor at realtime priority; the application meets 10 % of "
        "its deadlines (median 50.00 ms late, 99 % at least 200.0 ms), the compositor meets 100 % "
        "of its deadlines; published: both blocked for some 100 ms on GTX 1070"));
    assert_string_equal(run->findings[COUNT_OF_CASES].code, "preempt");
    assert_null(strstr(run->findings[COUNT_OF_CASES].text, "highest priority, "));
    run_destroy(run);
}

static void a_findings_value_is_the_response_at_medium_priority(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    add(run, "big-dispatch", "medium", 84e6);
    add(run, "big-dispatch", "highest", 2e6);
    add(run, "baseline", "highest", 3e6);
    bench_preempt.conclude(run, "vulkan:0");
    assert_true(run->findings[0].value == 84e6);
    assert_true(run->findings[1].value == 3e6);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hog_has_a_finding_over_all_priorities),
        cmocka_unit_test(what_it_costs_is_said),
        cmocka_unit_test(a_priority_that_changes_nothing_is_called_that),
        cmocka_unit_test(the_tail_is_a_quantile_where_there_are_answers_enough),
        cmocka_unit_test(a_lower_bound_and_dropped_deadlines_are_called_that),
        cmocka_unit_test(who_starves_of_three_actors_is_said_with_the_frames),
        cmocka_unit_test(a_findings_value_is_the_response_at_medium_priority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
