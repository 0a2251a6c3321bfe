// SPDX-License-Identifier: MIT
// Tests what is left of a run that is made smaller, and in which order results are removed.
#include "analysis/share.h"
#include "golden/golden.h"
#include "golden/rich_run.h"

static size_t count_of(const struct run *run, const char *benchmark)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += strcmp(run->results[i]->benchmark, benchmark) == 0;
    return count;
}

static void names_and_texts_are_removed_and_figures_stay(void **state)
{
    (void)state;
    struct run *run = rich_run();
    const struct result *first = run->results[0];
    double median = first->metrics[0].median;
    assert_true(run->command_count > 0 && run->devices[0].uuid &&
                first->metrics[0].round_count > 0);
    share_strip(run);
    assert_int_equal(run->command_count, 0);
    assert_null(run->devices[0].uuid);
    assert_null(run->devices[0].pci);
    assert_null(run->benchmarks[0]->params[0].help);
    assert_ptr_equal(run->results[0], first);
    assert_true(fabs(first->metrics[0].median / median - 1) < 6e-4);
    assert_int_equal(first->metrics[0].round_count, 0);
    assert_null(first->kernel.hash);
    for (size_t i = 0; i < run->result_count; i++)
        assert_true(result_measured(run->results[i]));
    run_destroy(run);
}

// The demo run has a headline of levels for latency, and none for bandwidth and loads.
static void results_that_no_headline_needs_go_first(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    static const struct headline_info best = {
        .kind = HEADLINE_BEST, .metric = "rate", .where = "path=shared"};
    struct benchmark_info loads = *run_benchmark(run, "loads");
    loads.headlines = &best;
    loads.headline_count = 1;
    for (size_t i = 0; i < run->benchmark_count; i++)
        if (strcmp(run->benchmarks[i]->name, "loads") == 0)
            run->benchmarks[i] = &loads;
    // The best result of all is suspect, so it is not the best one that is ok.
    struct result *suspect = run->results[0];
    for (size_t i = 0; i < run->result_count; i++)
        if (case_says(&run->results[i]->bench_case, "path", "shared") &&
            strcmp(run->results[i]->benchmark, "loads") == 0 &&
            case_uint(&run->results[i]->bench_case, "width") == 4)
            suspect = run->results[i];
    suspect->verdict = VERDICT_SUSPECT;
    share_strip(run);
    size_t latencies = count_of(run, "latency");
    assert_true(latencies > 20 && count_of(run, "bandwidth") > 20 && count_of(run, "loads") > 2);

    assert_true(share_thin(run));
    assert_int_equal(count_of(run, "latency"), latencies);
    assert_int_equal(count_of(run, "bandwidth"), 0);
    assert_null(run_benchmark(run, "bandwidth"));
    assert_int_equal(count_of(run, "loads"), 2);
    assert_non_null(run_find(run, run->devices[0].id, "loads/path=shared/width=4/pattern=linear"));
    assert_non_null(run_find(run, run->devices[0].id, "loads/path=shared/width=8/pattern=linear"));

    assert_false(share_thin(run));
    assert_int_equal(count_of(run, "latency"), latencies);
    run_destroy(run);
}

static void a_result_without_a_number_does_not_hide_the_best_one(void **state)
{
    (void)state;
    // given a headline whose first case has no number
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    static const struct headline_info best = {.kind = HEADLINE_BEST, .metric = "rate"};
    struct benchmark_info loads = *run_benchmark(run, "loads");
    loads.headlines = &best;
    loads.headline_count = 1;
    const struct result *shown = NULL;
    for (size_t i = 0; i < run->benchmark_count; i++)
        if (strcmp(run->benchmarks[i]->name, "loads") == 0)
            run->benchmarks[i] = &loads;
    bool first = true;
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = run->results[i];
        const struct metric *rate = result_metric(result, "rate");
        if (!rate || !result_is_of(result, "loads", run->devices[0].id))
            continue;
        if (first)
            for (size_t m = 0; m < result->metric_count; m++)
                result->metrics[m].median = NAN;
        else if (!shown || rate->median > result_median(shown, "rate"))
            shown = result;
        first = false;
    }
    assert_non_null(shown);
    share_strip(run);
    // when
    while (share_thin(run))
        continue;
    // then
    assert_ptr_equal(run_find(run, run->devices[0].id, shown->key), shown);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_texts_are_removed_and_figures_stay),
        cmocka_unit_test(results_that_no_headline_needs_go_first),
        cmocka_unit_test(a_result_without_a_number_does_not_hide_the_best_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
