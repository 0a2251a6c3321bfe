// SPDX-License-Identifier: MIT
#include "analysis/compare.h"
#include "golden/pair_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Two runs and the result of comparing them.
struct scene {
    struct arena *arena;
    struct run *base, *now;
    struct compare compare;
    struct error err;
    bool compared;
};

static struct scene scene_of(struct pair_desc base, struct pair_desc now, struct compare_desc desc)
{
    struct scene scene = {.arena = arena_create()};
    base.seed += 1;
    now.seed += 1000003;
    scene.base = pair_run(base);
    scene.now = pair_run(now);
    scene.compared =
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err);
    return scene;
}

static void scene_end(struct scene *scene)
{
    run_destroy(scene->base);
    run_destroy(scene->now);
    arena_destroy(scene->arena);
}

static size_t count_of(const struct scene *scene, const char *metric, enum compare_word word)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->compare.row_count; i++) {
        const struct compare_row *row = &scene->compare.rows[i];
        count +=
            row->word == word && row->base_metric && strcmp(row->base_metric->name, metric) == 0;
    }
    return count;
}

static void runs_without_a_difference_are_the_same(void **state)
{
    (void)state;
    struct scene scene =
        scene_of((struct pair_desc){0}, (struct pair_desc){0}, (struct compare_desc){0});
    assert_true(scene.compared);
    assert_int_equal(count_of(&scene, "latency", COMPARE_SAME), 20);
    assert_int_equal(count_of(&scene, "bandwidth", COMPARE_SAME), 20);
    // A number in cycles that confirms a time has no row.
    assert_int_equal(count_of(&scene, "latency_cycles", COMPARE_SAME), 0);
    assert_false(compare_regressed(&scene.compare));
    assert_true(fabs(scene.compare.parts[0].geometric_mean - 1) < 0.003);
    scene_end(&scene);
}

static void five_percent_more_work_is_slower(void **state)
{
    (void)state;
    struct scene scene =
        scene_of((struct pair_desc){0}, (struct pair_desc){.work = 1.05}, (struct compare_desc){0});
    assert_int_equal(count_of(&scene, "latency", COMPARE_SLOWER), 20);
    assert_int_equal(count_of(&scene, "bandwidth", COMPARE_SLOWER), 20);
    assert_int_equal(count_of(&scene, "depth", COMPARE_OTHER), 20);
    assert_true(compare_regressed(&scene.compare));
    for (size_t i = 0; i < scene.compare.row_count; i++) {
        const struct ratio *ratio = &scene.compare.rows[i].ratio;
        assert_true(ratio->low <= ratio->value && ratio->value <= ratio->high);
    }
    assert_true(fabs(scene.compare.parts[0].geometric_mean - 1 / 1.05) < 0.003);
    scene_end(&scene);
}

static void two_percent_less_work_is_faster_where_the_threshold_allows(void **state)
{
    (void)state;
    struct pair_desc base = {.noise = 0.001}, now = {.noise = 0.001, .work = 0.98};
    struct scene fine = scene_of(base, now, (struct compare_desc){.threshold = 0.01});
    assert_int_equal(count_of(&fine, "latency", COMPARE_FASTER), 20);
    assert_false(compare_regressed(&fine.compare));
    scene_end(&fine);
    struct scene coarse = scene_of(base, now, (struct compare_desc){.threshold = 0.05});
    assert_int_equal(count_of(&coarse, "latency", COMPARE_SAME), 20);
    scene_end(&coarse);
}

// Declares the metric "depth", 2 % of the latency here, as a part of it, and makes it `factor`
// times as long.
static void make_part(struct run *run, double factor)
{
    struct benchmark_info *info = ARENA_NEW(run->arena, struct benchmark_info);
    struct metric_info *metrics = ARENA_ARRAY(run->arena, COUNT(pair_metrics), struct metric_info);
    memcpy(metrics, pair_metrics, sizeof pair_metrics);
    metrics[3].part_of = "latency";
    *info = *run->benchmarks[0];
    info->metrics = metrics;
    run->benchmarks[0] = info;
    for (size_t i = 0; i < run->result_count; i++) {
        struct metric *part = &run->results[i]->metrics[3];
        part->better = BETTER_LOWER;
        part->median *= factor;
        part->ci95[0] *= factor;
        part->ci95[1] *= factor;
    }
}

static void a_part_of_a_metric_changes_relative_to_the_whole(void **state)
{
    (void)state;
    static const struct {
        double factor;
        enum compare_word word;
    } rows[] = {{1.5, COMPARE_SAME}, {3, COMPARE_SLOWER}, {0.5, COMPARE_SAME}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene scene =
            scene_of((struct pair_desc){0}, (struct pair_desc){0}, (struct compare_desc){0});
        make_part(scene.base, 1);
        make_part(scene.now, rows[i].factor);
        assert_true(compare_runs(scene.arena, scene.base, scene.now, &(struct compare_desc){0},
                                 &scene.compare, &scene.err));
        assert_int_equal(count_of(&scene, "depth", rows[i].word), 20);
        assert_true(fabs(scene.compare.parts[0].geometric_mean - 1) < 0.003); // without depth
        scene_end(&scene);
    }
}

static void a_lower_clock_is_named_and_is_no_regression(void **state)
{
    (void)state;
    struct scene scene = scene_of((struct pair_desc){0}, (struct pair_desc){.clock_hz = 1.8e9},
                                  (struct compare_desc){0});
    assert_int_equal(count_of(&scene, "latency", COMPARE_CLOCK), 20);
    assert_false(compare_regressed(&scene.compare));
    assert_true(fabs(scene.compare.rows[0].ratio.value - 2.0 / 1.8) < 0.01);
    assert_true(fabs(scene.compare.rows[0].cycles.value - 1) < 0.01);
    scene_end(&scene);
}

// A higher clock must not hide that the work takes more cycles in the same time.
static void a_clock_that_hides_more_work_is_named(void **state)
{
    (void)state;
    struct scene scene =
        scene_of((struct pair_desc){0}, (struct pair_desc){.work = 1.1, .clock_hz = 2.2e9},
                 (struct compare_desc){0});
    assert_int_equal(count_of(&scene, "latency", COMPARE_CLOCK), 20);
    scene_end(&scene);
}

static void more_noise_is_unsure_not_slower(void **state)
{
    (void)state;
    struct scene scene = scene_of((struct pair_desc){0}, (struct pair_desc){.noise = 0.06},
                                  (struct compare_desc){0});
    assert_true(count_of(&scene, "latency", COMPARE_UNSURE) >= 15);
    assert_int_equal(count_of(&scene, "latency", COMPARE_SLOWER), 0);
    assert_false(compare_regressed(&scene.compare));
    scene_end(&scene);
}

static void a_missing_case_and_a_new_one_are_listed(void **state)
{
    (void)state;
    struct scene scene =
        scene_of((struct pair_desc){0}, (struct pair_desc){.cases = 19}, (struct compare_desc){0});
    assert_int_equal(scene.compare.counts[COMPARE_MISSING], 1);
    assert_false(compare_regressed(&scene.compare));
    scene_end(&scene);
    scene =
        scene_of((struct pair_desc){.cases = 19}, (struct pair_desc){0}, (struct compare_desc){0});
    assert_int_equal(scene.compare.counts[COMPARE_ADDED], 1);
    assert_int_equal(count_of(&scene, "latency", COMPARE_SAME), 19);
    scene_end(&scene);
}

static void a_new_case_that_is_in_its_run_twice_is_added_once(void **state)
{
    (void)state;
    // given a case that only new has, with two results there,
    struct scene scene = {.arena = arena_create(),
                          .base = pair_run((struct pair_desc){.seed = 1, .cases = 19}),
                          .now = pair_run((struct pair_desc){.seed = 2})};
    struct compare_desc desc = {0};
    *run_add_result(scene.now) = *scene.now->results[19];
    // when both runs are compared
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    // then
    assert_int_equal(scene.compare.counts[COMPARE_ADDED], 1);
    scene_end(&scene);
}

static void a_metric_that_new_has_no_more_is_missing(void **state)
{
    (void)state;
    // given a case that lacks its bandwidth in the new run, and one whose bandwidth has no number
    // there,
    struct scene scene = {.arena = arena_create(),
                          .base = pair_run((struct pair_desc){.seed = 1}),
                          .now = pair_run((struct pair_desc){.seed = 2})};
    struct compare_desc desc = {0};
    scene.now->results[3]->metrics[2].name = "throughput";
    scene.now->results[4]->metrics[2].median = NAN;
    // when both runs are compared
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    // then a row for each says that the metric is missing, and the other metrics are still
    // compared.
    assert_int_equal(count_of(&scene, "bandwidth", COMPARE_MISSING), 2);
    assert_int_equal(scene.compare.counts[COMPARE_MISSING], 2);
    assert_int_equal(count_of(&scene, "latency", COMPARE_SAME), 20);
    size_t count;
    const struct compare_row **rows =
        compare_rows_of(scene.arena, &scene.compare, COMPARE_MISSING, &count);
    assert_string_equal(rows[0]->text, "bandwidth has no number in new");
    assert_false(compare_regressed(&scene.compare));
    scene_end(&scene);
}

static void a_case_that_fails_now_is_a_regression_and_a_skip_is_not(void **state)
{
    (void)state;
    struct scene scene = {.arena = arena_create(),
                          .base = pair_run((struct pair_desc){.seed = 1}),
                          .now = pair_run((struct pair_desc){.seed = 2})};
    struct compare_desc desc = {0};
    result_flag(scene.now->arena, scene.now->results[3], VERDICT_SKIPPED, "memory", "too large");
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    assert_int_equal(scene.compare.counts[COMPARE_MISSING], 1);
    assert_false(compare_regressed(&scene.compare));

    result_flag(scene.now->arena, scene.now->results[4], VERDICT_FAILED, "mismatch", "hop 3");
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    assert_int_equal(scene.compare.counts[COMPARE_BROKEN], 1);
    assert_true(compare_regressed(&scene.compare));
    size_t count;
    const struct compare_row **rows =
        compare_rows_of(scene.arena, &scene.compare, COMPARE_BROKEN, &count);
    assert_string_equal(rows[0]->text, "hop 3");
    scene_end(&scene);
}

static void other_versions_and_methods_are_refused_unless_across(void **state)
{
    (void)state;
    static const struct pair_desc others[] = {{.version = 2}, {.laps = 3}};
    static const char *const texts[] = {"pair version 1 against 2", "laps=1 against 3"};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = scene_of((struct pair_desc){0}, others[i], (struct compare_desc){0});
        assert_false(scene.compared);
        assert_int_equal(scene.err.code, ERROR_USAGE);
        assert_non_null(strstr(scene.err.message, texts[i]));
        assert_int_equal(scene.compare.counts[COMPARE_REFUSED], 20);
        scene_end(&scene);
        scene = scene_of((struct pair_desc){0}, others[i], (struct compare_desc){.across = true});
        assert_true(scene.compared);
        assert_int_equal(count_of(&scene, "latency", COMPARE_SAME), 20);
        scene_end(&scene);
    }
}

// Only one of two results may have a METHOD value: "with" of a case that several devices measured
// together.
static void a_method_value_that_one_run_lacks_is_refused_in_either(void **state)
{
    (void)state;
    static const char *const texts[] = {"laps=nothing against 1", "laps=1 against nothing"};
    for (size_t lacks = 0; lacks < 2; lacks++) {
        struct scene scene = {.arena = arena_create(),
                              .base = pair_run((struct pair_desc){0}),
                              .now = pair_run((struct pair_desc){0})};
        struct run *run = lacks ? scene.now : scene.base;
        for (size_t i = 0; i < run->result_count; i++)
            run->results[i]->bench_case.value_count = 1;
        assert_false(compare_runs(scene.arena, scene.base, scene.now, &(struct compare_desc){0},
                                  &scene.compare, &scene.err));
        assert_non_null(strstr(scene.err.message, texts[lacks]));
        scene_end(&scene);
    }
}

static void other_devices_are_refused_unless_across(void **state)
{
    (void)state;
    static const struct pair_desc others[] = {{.device_name = "Other GPU"},
                                              {.device_id = "cuda:0"}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = scene_of((struct pair_desc){0}, others[i], (struct compare_desc){0});
        assert_false(scene.compared);
        assert_non_null(strstr(scene.err.message, "--across"));
        scene_end(&scene);
        scene = scene_of((struct pair_desc){0}, others[i], (struct compare_desc){.across = true});
        assert_true(scene.compared);
        scene_end(&scene);
    }
    struct scene moved =
        scene_of((struct pair_desc){0}, (struct pair_desc){.device_id = "vulkan:3"},
                 (struct compare_desc){0});
    assert_true(moved.compared); // the same model with another device number
    scene_end(&moved);
}

static void changes_come_largest_first(void **state)
{
    (void)state;
    struct scene scene = {.arena = arena_create(),
                          .base = pair_run((struct pair_desc){.seed = 1}),
                          .now = pair_run((struct pair_desc){.seed = 2})};
    const double factors[] = {1.1, 1.5, 0.5, 1.2};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 2; j++) { // the same for time and cycles
            struct metric *metric = &scene.now->results[i]->metrics[j];
            metric->median *= factors[i];
            metric->ci95[0] *= factors[i];
            metric->ci95[1] *= factors[i];
        }
    struct metric *none = scene.base->results[6]->metrics;
    none->median = none->ci95[0] = none->ci95[1] = 0;
    none[1].median = NAN; // no cycles
    struct compare_desc desc = {0};
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    size_t count;
    const struct compare_row **rows =
        compare_rows_of(scene.arena, &scene.compare, COMPARE_SLOWER, &count);
    const size_t order[] = {6, 1, 3, 0};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(rows[i]->now, scene.now->results[order[i]]);
    scene_end(&scene);
}

static void numbers_without_an_interval_or_of_zero_are_unsure(void **state)
{
    (void)state;
    struct metric a = {.median = 1, .ci95 = {NAN, NAN}}, b = {.median = 2, .ci95 = {1, 3}};
    assert_true(isnan(ratio_of(&a, &b).low));
    assert_true(ratio_of(&a, &b).value == 2);
    struct metric zero = {.median = 0, .ci95 = {0, 0}};
    assert_true(isnan(ratio_of(&zero, &b).value));
    assert_true(isnan(ratio_of(NULL, &b).value));
}

// Returns the verdict for the latency of one case with these intervals, and with the medians in
// their middle.
static enum compare_word word_between(const double base[2], const double now[2])
{
    struct scene scene = {.arena = arena_create(),
                          .base = pair_run((struct pair_desc){.cases = 1}),
                          .now = pair_run((struct pair_desc){.cases = 1})};
    struct run *runs[] = {scene.base, scene.now};
    const double *intervals[] = {base, now};
    for (size_t i = 0; i < 2; i++) {
        struct metric *metric = &runs[i]->results[0]->metrics[0];
        memcpy(metric->ci95, intervals[i], sizeof metric->ci95);
        metric->median = (metric->ci95[0] + metric->ci95[1]) / 2;
        runs[i]->results[0]->metrics[1].median = NAN; // no cycles
    }
    struct compare_desc desc = {0};
    assert_true(
        compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
    enum compare_word word = scene.compare.rows[0].word;
    scene_end(&scene);
    return word;
}

#define WORD_BETWEEN(a, b, c, d) word_between((const double[]){a, b}, (const double[]){c, d})

static void a_lower_bound_is_neither_slower_nor_faster(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct scene scene = {.arena = arena_create(),
                              .base = pair_run((struct pair_desc){0}),
                              .now = pair_run((struct pair_desc){.work = 1.5})};
        for (size_t i = 0; i < scene.now->result_count; i++)
            (side ? scene.base : scene.now)->results[i]->metrics[0].at_least = true;
        struct compare_desc desc = {0};
        assert_true(
            compare_runs(scene.arena, scene.base, scene.now, &desc, &scene.compare, &scene.err));
        assert_int_equal(count_of(&scene, "latency", COMPARE_SLOWER), 0);
        assert_int_equal(count_of(&scene, "latency", COMPARE_UNSURE), 20);
        scene_end(&scene);
    }
}

static void more_than_nothing_is_more_without_a_ratio(void **state)
{
    (void)state;
    // First no deadline is missed, then all.
    assert_int_equal(WORD_BETWEEN(0, 0, 1, 1), COMPARE_SLOWER);
    assert_int_equal(WORD_BETWEEN(1, 1, 0, 0), COMPARE_FASTER);
    assert_int_equal(WORD_BETWEEN(0, 0, 0, 0), COMPARE_SAME);
    assert_int_equal(WORD_BETWEEN(0, 0, 0, 1), COMPARE_UNSURE);
    assert_int_equal(WORD_BETWEEN(-5, 20, 500, 600), COMPARE_SLOWER); // a gap between the intervals
    // A gap of 0.5 % of the interval's end.
    assert_int_equal(WORD_BETWEEN(-5, 20, 20.1, 600), COMPARE_UNSURE);
    assert_int_equal(WORD_BETWEEN(-9, -8, -7.99, -7), COMPARE_UNSURE);
}

static void a_figure_in_cycles_is_the_twin_that_its_benchmark_declares(void **state)
{
    (void)state;
    static const struct metric_info infos[] = {
        {.name = "per_core", .cycles_of = "copied,bandwidth"}, {.name = "laps"}};
    static const struct benchmark_info info = {.metrics = infos, .metric_count = 2};
    struct metric metrics[] = {
        {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .median = 1},
        {.name = "per_core", .unit = UNIT_BYTE_PER_CYCLE, .median = 1},
        {.name = "laps", .unit = UNIT_CYCLE, .median = 1},
        {.name = "copied", .unit = UNIT_BYTE_PER_S, .median = 1},
    };
    const struct result result = {.metrics = metrics, .metric_count = 4};
    assert_ptr_equal(metric_in_cycles(&info, &result, &metrics[0]), &metrics[1]);
    assert_false(metric_is_twin(&info, &result, &metrics[0]));
    assert_true(metric_is_twin(&info, &result, &metrics[1]));
    assert_false(metric_is_twin(&info, &result, &metrics[2]));
    // In a list of names, the first metric that the case has counts.
    assert_null(metric_in_cycles(&info, &result, &metrics[3]));
    // Without a benchmark, or without a number in cycles, there is no such metric.
    assert_null(metric_in_cycles(NULL, &result, &metrics[0]));
    metrics[1].median = NAN;
    assert_null(metric_in_cycles(&info, &result, &metrics[0]));
}

// At most 1 % of the pairs without any difference may be called changed, whatever their noise and
// their number of rounds. 200 pairs of each kind, and 4000 pairs to know the rate.
static void pairs_of_one_distribution_are_not_called_changed(void **state)
{
    (void)state;
    static const struct pair_desc sorts[] = {
        {.rounds = 5, .noise = 0.003}, {.rounds = 5, .noise = 0.02},  {.rounds = 5, .noise = 0.2},
        {.rounds = 10, .noise = 0.02}, {.rounds = 20, .noise = 0.05}, {.rounds = 40, .noise = 0.1}};
    size_t changed = 0, pairs = 0;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        for (uint64_t repeat = 0; repeat < 20; repeat++) {
            struct pair_desc desc = sorts[i];
            desc.cases = 200;
            desc.seed = repeat;
            struct scene scene = scene_of(desc, desc, (struct compare_desc){0});
            size_t now = count_of(&scene, "latency", COMPARE_SLOWER) +
                         count_of(&scene, "latency", COMPARE_FASTER) +
                         count_of(&scene, "latency", COMPARE_CLOCK);
            assert_true(repeat > 0 || now <= 2);
            changed += now;
            pairs += 200;
            scene_end(&scene);
        }
    }
    print_message("%zu of %zu equal pairs called changed\n", changed, pairs);
    assert_true(changed * 100 <= pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_without_a_difference_are_the_same),
        cmocka_unit_test(five_percent_more_work_is_slower),
        cmocka_unit_test(two_percent_less_work_is_faster_where_the_threshold_allows),
        cmocka_unit_test(a_part_of_a_metric_changes_relative_to_the_whole),
        cmocka_unit_test(a_lower_clock_is_named_and_is_no_regression),
        cmocka_unit_test(a_clock_that_hides_more_work_is_named),
        cmocka_unit_test(more_noise_is_unsure_not_slower),
        cmocka_unit_test(a_missing_case_and_a_new_one_are_listed),
        cmocka_unit_test(a_new_case_that_is_in_its_run_twice_is_added_once),
        cmocka_unit_test(a_metric_that_new_has_no_more_is_missing),
        cmocka_unit_test(a_case_that_fails_now_is_a_regression_and_a_skip_is_not),
        cmocka_unit_test(other_versions_and_methods_are_refused_unless_across),
        cmocka_unit_test(a_method_value_that_one_run_lacks_is_refused_in_either),
        cmocka_unit_test(other_devices_are_refused_unless_across),
        cmocka_unit_test(changes_come_largest_first),
        cmocka_unit_test(a_lower_bound_is_neither_slower_nor_faster),
        cmocka_unit_test(more_than_nothing_is_more_without_a_ratio),
        cmocka_unit_test(a_figure_in_cycles_is_the_twin_that_its_benchmark_declares),
        cmocka_unit_test(numbers_without_an_interval_or_of_zero_are_unsure),
        cmocka_unit_test(pairs_of_one_distribution_are_not_called_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
