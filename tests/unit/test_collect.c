// SPDX-License-Identifier: MIT
#include "unit/collect_fixture.h"

// ---------------------------------------------------------------- the stop rule

static void equal_samples_stop_at_the_first_look(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    for (int round = 0; round < 5; round++) {
        assert_false(collect_done(f.collect));
        visit_with(&f, (double[]){32.25, 32.25, 32.25}, 3, 0.125);
    }
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_int_equal(result.metric_count, 1);
    assert_string_equal(result.metrics[0].name, "bandwidth");
    assert_int_equal(result.metrics[0].n, 15);
    assert_int_equal(result.metrics[0].round_count, 5);
    // Then the interval is one step of the clock to either side, and not a point.
    NEAR(result.metrics[0].median, 32.25, 0);
    NEAR(result.metrics[0].ci95[0], 32.125, 0);
    NEAR(result.metrics[0].ci95[1], 32.375, 0);
    arena_destroy(f.arena);
}

static void the_first_metric_may_be_absent(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    while (!collect_done(f.collect)) {
        struct measure_visit *visit = measure_visit_create(f.arena);
        visit_samples(visit, 1, (double[]){280}, 1, 0);
        collect_visit(f.collect, visit);
    }
    struct result result = end(&f);
    assert_int_equal(collect_rounds(f.collect), 5);
    assert_int_equal(result.metric_count, 1);
    assert_string_equal(result.metrics[0].name, "latency");
    arena_destroy(f.arena);
}

// Given visits without a value, as of a device whose clock stands still, then the case is not `ok`.
static void rounds_without_any_value_are_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    while (!collect_done(f.collect))
        collect_visit(f.collect, measure_visit_create(f.arena));
    struct result result = end(&f);
    assert_int_equal(result.metric_count, 0);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_non_null(find_reason(&result, "not-finite"));
    arena_destroy(f.arena);
}

// Given as few rounds as in `quick`, whose samples have the same order each time.
static void samples_of_two_levels_in_each_round_are_suspect(void **state)
{
    (void)state;
    static const struct {
        double samples[4];
        const char *text; // NULL: the median is the level of most samples, so not suspect
    } cases[] = {{{100, 100, 120, 120}, "the later samples are 18.2 % higher"},
                 {{120, 120, 100, 100}, "the later samples are 18"},
                 {{100, 102, 104, 106}, "drifted while it was measured"},
                 {{100, 120, 100, 120}, "every other sample is 18"},
                 {{120, 100, 100, 100}, NULL},
                 {{100, 100, 100, 120}, NULL}};
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        const char *wanted = cases[i / 2].text;
        begin_with(&f, &(struct collect_rule){.goal = 0.005, .rounds_min = i % 2 ? 3 : 5});
        while (!collect_done(f.collect))
            visit_with(&f, cases[i / 2].samples, 4, 0.01);
        struct result result = end(&f);
        assert_int_equal(result.verdict, wanted ? VERDICT_SUSPECT : VERDICT_OK);
        assert_true(!wanted || strstr(find_reason(&result, "correlated")->text, wanted));
        arena_destroy(f.arena);
    }
}

static void looks_happen_only_after_5_10_20_rounds(void **state)
{
    (void)state;
    // Given two rounds with other values and then only equal ones, when rounds go on, then the case
    // does not stop before the next permitted look.
    struct fixture f = begin(40);
    for (int round = 0; round < 19; round++) {
        double value = round < 2 ? 100 + 10 * round : 100;
        visit_with(&f, &value, 1, 0);
        assert_false(collect_done(f.collect));
    }
    visit_with(&f, (double[]){100}, 1, 0);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    // The interval uses ranks, so the two other rounds do not move it.
    NEAR(result.metrics[0].ci95[1], 100, 0);
    arena_destroy(f.arena);
}

static void the_budget_ends_a_case_and_it_is_reported(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.goal = 0.005, .rounds_max = 40, .budget_ns = 3000});
    visit_with(&f, (double[]){99}, 1, 0);
    visit_with(&f, (double[]){100}, 1, 0);
    assert_false(collect_done(f.collect));
    visit_with(&f, (double[]){101}, 1, 0);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    // t with two degrees of freedom at 95 %: 4.3027 × 1 / √3.
    NEAR(result.metrics[0].ci95[0], 100 - 4.30265 / sqrt(3), 1e-4);
    assert_non_null(find_reason(&result, "imprecise"));
    arena_destroy(f.arena);
}

static void a_little_imprecise_is_noted_and_very_imprecise_is_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100 + 2 * (round % 2)}, 1, 0);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_string_equal(find_reason(&result, "imprecise")->text, "noisy: ±1.4 % (goal ±0.5 %)");
    arena_destroy(f.arena);

    f = begin(5); // misses the goal, but the interval is only ±0.68 %
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100 + round % 2}, 1, 0);
    result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_null(find_reason(&result, "imprecise"));
    arena_destroy(f.arena);

    f = begin(5);
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100 + 10 * (round % 2)}, 1, 0);
    result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    arena_destroy(f.arena);
}

static void a_half_width_that_rounds_to_the_goal_is_shown_with_more_digits(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.goal = 0.01, .rounds_max = 5});
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100 + 1.5 * (round % 2)}, 1, 0);
    struct result result = end(&f);
    assert_string_equal(find_reason(&result, "imprecise")->text, "noisy: ±1.02 % (goal ±1 %)");
    arena_destroy(f.arena);
}

static void a_coarse_clock_ends_the_case_once_only_its_step_is_left(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100}, 1, 2);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_non_null(strstr(find_reason(&result, "imprecise")->text, "limited by the clock"));
    arena_destroy(f.arena);
}

static void another_metric_says_whether_noise_or_the_clock_limits_it(void **state)
{
    (void)state;
    for (int noisy = 0; noisy <= 1; noisy++) {
        struct fixture f = begin(5);
        for (int round = 0; round < 5; round++) {
            struct measure_visit *visit = measure_visit_create(f.arena);
            visit_samples(visit, 0, (double[]){100}, 1, 0);
            visit_samples(visit, 1, (double[]){100 + 40 * noisy * (round % 2)}, 1, 10);
            collect_visit(f.collect, visit);
        }
        struct result result = end(&f);
        assert_non_null(
            strstr(find_reason(&result, "imprecise")->text,
                   noisy ? "latency is noisy: ±" : "latency is limited by the clock: ±10 %"));
        arena_destroy(f.arena);
    }
}

static void one_round_gives_no_interval(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.rounds_max = 1});
    visit_with(&f, (double[]){1, 2, 3}, 3, 0.5);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    NEAR(result.metrics[0].median, 2, 0);
    assert_true(isnan(result.metrics[0].ci95[0]));
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    arena_destroy(f.arena);
}

// ---------------------------------------------------------------- visits that are taken again

// Makes a visit with one sample. `why` is a reason to take it again; NULL: no reason.
static void visit_flagged(struct fixture *f, double value, const char *why)
{
    struct measure_visit *visit = measure_visit_create(f->arena);
    visit->device_time_ns = 1000;
    visit_samples(visit, 0, &value, 1, 0);
    if (why)
        visit_retake(visit, "shared-device", "%s", why);
    collect_visit(f->collect, visit);
}

// Makes a visit with one sample at a core clock. `limited`: the card reported that it limited this
// clock.
static void visit_clocked(struct fixture *f, double value, double hz, bool limited)
{
    struct measure_visit *visit = measure_visit_create(f->arena);
    visit_samples(visit, 0, &value, 1, 0);
    visit_core_clock(visit, &hz, 1, 0);
    if (limited)
        visit_remark(visit, "throttled", "power-limited");
    collect_visit(f->collect, visit);
}

static void rounds_at_a_lower_clock_are_taken_again(void **state)
{
    (void)state;
    // Given two rounds at a low clock, the first of them before the clock of the case is known, and
    // clocks that differ by less than a step.
    struct fixture f = begin(5);
    visit_clocked(&f, 43.7, 1305e6, false);
    visit_clocked(&f, 66.3, 1980e6, false);
    assert_int_equal(collect_rounds(f.collect), 1);
    visit_clocked(&f, 43.7, 1305e6, false);
    for (int round = 1; round < 5; round++) {
        assert_false(collect_done(f.collect));
        visit_clocked(&f, 66.3, round % 2 ? 1965e6 : 1980e6, false);
    }
    struct result result = end(&f);
    assert_true(collect_done(f.collect));
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_true(result.metrics[0].median == 66.3 && result.metrics[0].round_count == 5);
    arena_destroy(f.arena);
}

static void two_clocks_that_never_become_one_are_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    visit_clocked(&f, 66.3, 1980e6, false);
    while (!collect_done(f.collect))
        visit_clocked(&f, 43.7, 1305e6, false);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_non_null(
        strstr(find_reason(&result, "low-clock")->text, "1.30 GHz; other rounds ran at 1.98 GHz"));
    arena_destroy(f.arena);
}

static void a_limit_that_does_not_last_is_a_low_clock(void **state)
{
    (void)state;
    // Given a card that is still hot from the case before, in one of six rounds.
    struct fixture f = begin(5);
    visit_clocked(&f, 60, 1780e6, true);
    for (int round = 0; round < 5; round++) {
        assert_false(collect_done(f.collect));
        visit_clocked(&f, 66, 1980e6, false);
    }
    struct result result = end(&f);
    assert_true(collect_done(f.collect));
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_int_equal(result.reason_count, 0);
    arena_destroy(f.arena);
}

static void what_the_card_limits_may_vary(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++)
        visit_clocked(&f, 60, round % 2 ? 1700e6 : 1800e6, true);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_non_null(find_reason(&result, "throttled"));
    assert_null(find_reason(&result, "low-clock"));
    arena_destroy(f.arena);
}

static void a_visit_to_be_taken_again_is_no_round(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int visit = 0; visit < 9; visit++) { // four of nine visits are disturbed
        assert_false(collect_done(f.collect));
        visit_flagged(&f, visit % 2 ? 50 : 100, visit % 2 ? "other work" : NULL);
    }
    assert_true(collect_done(f.collect));
    assert_int_equal(collect_rounds(f.collect), 5);
    assert_int_equal(collect_visits(f.collect), 9);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_int_equal(result.reason_count, 0);
    assert_int_equal(result.metrics[0].round_count, 5);
    assert_true(result.metrics[0].median == 100 && result.metrics[0].ci95[0] == 100);
    const struct named_text *last = &result.details[result.detail_count - 1];
    assert_string_equal(last->name, "doubtful");
    assert_string_equal(last->text, "of 9 visits: 4 shared-device");
    arena_destroy(f.arena);
}

static void too_many_retakes_count_and_make_the_case_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    visit_flagged(&f, 100, NULL);
    for (int visit = 0; visit < 11; visit++) {
        assert_false(collect_done(f.collect));
        visit_flagged(&f, 50, "other work");
    }
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.metrics[0].round_count, 12);
    assert_string_equal(find_reason(&result, "shared-device")->text,
                        "other work (in 11 of 12 rounds)");
    arena_destroy(f.arena);
}

// Given a metric that only one visit measures, then the case lacks it again when this visit no
// longer counts.
static void a_metric_is_lacking_until_a_visit_with_it_counts(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    assert_true(collect_lacks_metric(f.collect));
    visit_flagged(&f, 100, NULL);
    assert_true(collect_lacks_metric(f.collect));
    struct measure_visit *whole = measure_visit_create(f.arena);
    visit_samples(whole, 0, &(double){100}, 1, 0);
    visit_samples(whole, 1, &(double){7}, 1, 0);
    collect_visit(f.collect, whole);
    assert_false(collect_lacks_metric(f.collect));
    collect_flag(f.collect, 1, &(struct reason){.code = "shared-device", .text = "other work"});
    assert_true(collect_lacks_metric(f.collect));
    arena_destroy(f.arena);
}

static void a_reason_that_a_visit_has_twice_counts_one_round(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.goal = 0.005, .budget_ns = 3000});
    visit_flagged(&f, 100, NULL);
    visit_flagged(&f, 50, "other work");
    collect_flag(f.collect, 1, &(struct reason){.code = "shared-device", .text = "found later"});
    visit_flagged(&f, 100, NULL);
    struct result result = end(&f);
    assert_string_equal(find_reason(&result, "shared-device")->text,
                        "other work (in 1 of 3 rounds)");
    arena_destroy(f.arena);
}

static void enough_clean_rounds_do_without_the_flagged_ones(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    for (int visit = 0; visit < 6; visit++) // noisy, so five rounds are not enough
        visit_flagged(&f, 100 + 10 * (visit % 2), NULL);
    for (int visit = 0; visit < 16; visit++) {
        assert_false(collect_done(f.collect));
        visit_flagged(&f, 50, "other work");
    }
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.metrics[0].round_count, 6);
    assert_null(find_reason(&result, "shared-device"));
    assert_non_null(find_reason(&result, "imprecise"));
    arena_destroy(f.arena);
}

static void flagged_visits_count_when_the_time_is_used_up(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.goal = 0.005, .budget_ns = 3000});
    visit_flagged(&f, 100, NULL);
    visit_flagged(&f, 50, "other work");
    // The number of rounds if the caller made no more visits.
    assert_int_equal(end(&f).metrics[0].round_count, 2);
    assert_false(collect_done(f.collect));
    visit_flagged(&f, 100, NULL);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.metrics[0].round_count, 3);
    assert_non_null(find_reason(&result, "shared-device"));
    arena_destroy(f.arena);
}

static void a_flag_found_later_opens_the_case_again(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int visit = 0; visit < 5; visit++)
        visit_flagged(&f, visit < 3 ? 100 : 50, NULL);
    assert_true(collect_done(f.collect));
    collect_flag(f.collect, 3, &(struct reason){.code = "shared-device", .text = "other work"});
    assert_false(collect_done(f.collect));
    assert_int_equal(collect_rounds(f.collect), 3);
    visit_flagged(&f, 100, NULL);
    visit_flagged(&f, 100, NULL);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_true(result.metrics[0].median == 100 && result.metrics[0].ci95[0] == 100);
    arena_destroy(f.arena);
}

static void failures_decide_the_verdict_and_leave_no_number(void **state)
{
    (void)state;
    static const struct {
        enum error_code code;
        enum verdict verdict;
    } cases[] = {
        {ERROR_UNSUPPORTED, VERDICT_SKIPPED}, {ERROR_OUT_OF_MEMORY, VERDICT_SKIPPED},
        {ERROR_DEVICE_LOST, VERDICT_FAILED},  {ERROR_MISMATCH, VERDICT_FAILED},
        {ERROR_TIMEOUT, VERDICT_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = begin(5);
        visit_with(&f, (double[]){1}, 1, 0);
        struct error err;
        error_set(&err, cases[i].code, "why");
        collect_failure(f.collect, &err);
        assert_true(collect_done(f.collect));
        struct result result = end(&f);
        assert_int_equal(result.verdict, cases[i].verdict);
        assert_int_equal(result.metric_count, 0);
        assert_string_equal(find_reason(&result, error_code_name(cases[i].code))->text, "why");
        arena_destroy(f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_samples_stop_at_the_first_look),
        cmocka_unit_test(the_first_metric_may_be_absent),
        cmocka_unit_test(rounds_without_any_value_are_suspect),
        cmocka_unit_test(samples_of_two_levels_in_each_round_are_suspect),
        cmocka_unit_test(looks_happen_only_after_5_10_20_rounds),
        cmocka_unit_test(the_budget_ends_a_case_and_it_is_reported),
        cmocka_unit_test(a_little_imprecise_is_noted_and_very_imprecise_is_suspect),
        cmocka_unit_test(a_half_width_that_rounds_to_the_goal_is_shown_with_more_digits),
        cmocka_unit_test(a_coarse_clock_ends_the_case_once_only_its_step_is_left),
        cmocka_unit_test(another_metric_says_whether_noise_or_the_clock_limits_it),
        cmocka_unit_test(one_round_gives_no_interval),
        cmocka_unit_test(rounds_at_a_lower_clock_are_taken_again),
        cmocka_unit_test(two_clocks_that_never_become_one_are_suspect),
        cmocka_unit_test(a_limit_that_does_not_last_is_a_low_clock),
        cmocka_unit_test(what_the_card_limits_may_vary),
        cmocka_unit_test(a_visit_to_be_taken_again_is_no_round),
        cmocka_unit_test(too_many_retakes_count_and_make_the_case_suspect),
        cmocka_unit_test(a_metric_is_lacking_until_a_visit_with_it_counts),
        cmocka_unit_test(a_reason_that_a_visit_has_twice_counts_one_round),
        cmocka_unit_test(enough_clean_rounds_do_without_the_flagged_ones),
        cmocka_unit_test(flagged_visits_count_when_the_time_is_used_up),
        cmocka_unit_test(a_flag_found_later_opens_the_case_again),
        cmocka_unit_test(failures_decide_the_verdict_and_leave_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
