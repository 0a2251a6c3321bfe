// SPDX-License-Identifier: MIT
// Tests the verdict on the rounds of a case: reasons and remarks.
#include "unit/collect_fixture.h"

static double noise_of(struct fixture *fixture)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(&fixture->random);
    return sum;
}

static void another_metric_that_is_far_less_precise_gets_a_remark(void **state)
{
    (void)state;
    struct fixture fixture = begin(5);
    for (int round = 0; round < 5; round++) {
        const double steady[] = {100, 100, 100, 100}, risen = round ? 60 : 40;
        struct measure_visit *visit = measure_visit_create(fixture.arena);
        visit_samples(visit, 0, steady, 4, 0.1);
        visit_samples(visit, 1, (const double[]){risen, risen}, 2, 0);
        collect_visit(fixture.collect, visit);
    }
    struct result result = end(&fixture);
    assert_non_null(strstr(find_reason(&result, "imprecise")->text, "latency is noisy: ±"));
    assert_int_equal(result.verdict, VERDICT_OK);
    arena_destroy(fixture.arena);
}

static void another_metric_of_one_round_gets_a_remark(void **state)
{
    (void)state;
    struct fixture fixture = begin(5);
    for (int round = 0; round < 5; round++) {
        const double steady[] = {100, 100, 100, 100}, once = 50;
        struct measure_visit *visit = measure_visit_create(fixture.arena);
        visit_samples(visit, 0, steady, 4, 0.1);
        if (round == 0)
            visit_samples(visit, 1, &once, 1, 0);
        collect_visit(fixture.collect, visit);
    }
    struct result result = end(&fixture);
    assert_string_equal(find_reason(&result, "imprecise")->text,
                        "latency: rounds measured: 1, too few for an interval");
    assert_int_equal(result.verdict, VERDICT_OK);
    arena_destroy(fixture.arena);
}

static void what_one_visit_alone_took_has_the_interval_that_it_knows(void **state)
{
    (void)state;
    struct fixture fixture = begin(5);
    const double rates[] = {100, 100, 100, 100}, once = 50;
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(fixture.arena);
        visit_samples(visit, 0, rates, 4, 0.1);
        visit_half(visit, 0, 20); // ignored, because there are five rounds
        if (round == 0) {
            visit_samples(visit, 1, &once, 1, 0);
            visit_half(visit, 1, 2);
        }
        collect_visit(fixture.collect, visit);
    }
    struct result result = end(&fixture);
    NEAR(result.metrics[0].ci95[1], 100.1, 1e-9);
    NEAR(result.metrics[1].ci95[0], 48, 1e-9);
    NEAR(result.metrics[1].ci95[1], 52, 1e-9);
    arena_destroy(fixture.arena);
}

// Makes five rounds whose medians are within ± `off` of 100. The host or the device timed them.
static struct result scattered(struct fixture *f, double off, bool by_host)
{
    const double values[] = {100 - off, 100 + off, 100 - off / 2, 100 + off / 2, 100};
    *f = begin(5);
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(f->arena);
        visit_samples(visit, 0, (const double[]){values[round], values[round]}, 2, 0);
        if (by_host)
            visit_by_host(visit, 0);
        collect_visit(f->collect, visit);
    }
    return end(f);
}

static void what_the_host_times_need_not_be_as_precise(void **state)
{
    (void)state;
    static const struct {
        double off;
        const char *remark; // NULL: none
        enum verdict verdict, of_device;
    } cases[] = {
        {0.4, NULL, VERDICT_OK, VERDICT_OK},
        {4, NULL, VERDICT_OK, VERDICT_SUSPECT},
        {7, "noisy: ±6.9 % (goal ±5 %)", VERDICT_OK, VERDICT_SUSPECT},
        {12, "noisy: ±12 % (goal ±5 %)", VERDICT_SUSPECT, VERDICT_SUSPECT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        // Given rounds that scatter, when the host timed them, then the goal is ±5 %.
        struct fixture f;
        struct result result = scattered(&f, cases[i].off, true);
        const struct reason *reason = find_reason(&result, "imprecise");
        assert_int_equal(result.verdict, cases[i].verdict);
        assert_int_equal(reason != NULL, cases[i].remark != NULL);
        if (reason)
            assert_string_equal(reason->text, cases[i].remark);
        arena_destroy(f.arena);
        // When the device timed them, then it is ±0.5 %, as for any rate.
        result = scattered(&f, cases[i].off, false);
        assert_int_equal(result.verdict, cases[i].of_device);
        arena_destroy(f.arena);
    }
}

// Measures five rounds in which the first metric is 1000, and the other one has these values.
static struct result with_other(struct arena *arena, const struct metric_info *declared,
                                const double others[5], bool by_host)
{
    const struct benchmark_info own = {.name = "fake", .metrics = declared, .metric_count = 2};
    struct collect *collect = collect_create(arena, &own, &(struct collect_rule){.goal = 0.01});
    struct result result = {0};
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(arena);
        visit_samples(visit, 0, (const double[]){1000}, 1, 0.1);
        visit_samples(visit, 1, &others[round], 1, 0);
        if (by_host)
            visit_by_host(visit, 1);
        collect_visit(collect, visit);
    }
    collect_result(collect, arena, &result);
    assert_int_equal(result.verdict, VERDICT_OK);
    return result;
}

static void a_part_counts_by_what_it_adds_to_the_whole(void **state)
{
    (void)state;
    static const struct metric_info launch[] = {
        {.name = "time", .unit = UNIT_NS, .better = BETTER_LOWER},
        {.name = "host", .unit = UNIT_NS, .better = BETTER_LOWER, .part_of = "time"},
    };
    // Given a call of 3 ns or 300 ns, ± 50 %, in a kernel's time of 1000 ns.
    const double small[] = {1.5, 4.5, 2.25, 3.75, 3}, large[] = {150, 450, 225, 375, 300};
    struct arena *arena = arena_create();
    assert_int_equal(with_other(arena, launch, small, true).reason_count, 0);
    // Then only the large one gets a remark. Screens show ±62 %, its share of the call.
    struct result result = with_other(arena, launch, large, true);
    assert_int_equal(result.reason_count, 1);
    assert_string_equal(result.reasons[0].text, "host is noisy: ±19 % of time (goal ±5 %)");
    arena_destroy(arena);
}

static void a_share_counts_by_what_it_is_of_all(void **state)
{
    (void)state;
    static const struct metric_info overlap[] = {
        {.name = "time", .unit = UNIT_NS, .better = BETTER_LOWER},
        {.name = "share", .unit = UNIT_NONE, .better = BETTER_HIGHER},
    };
    // Given a share of 0.2, ± 50 %.
    const double shares[] = {0.1, 0.3, 0.15, 0.25, 0.2};
    struct arena *arena = arena_create();
    struct result result = with_other(arena, overlap, shares, false);
    // Then the remark is no percentage: screens show ±62 %, a share of 0.2.
    assert_int_equal(result.reason_count, 1);
    assert_string_equal(result.reasons[0].text, "share is noisy: ±0.12 (goal ±0.01)");
    arena_destroy(arena);
}

static void a_zero_within_a_step_of_the_clock_is_precise(void **state)
{
    (void)state;
    static const struct metric_info timed[] = {
        {.name = "response", .unit = UNIT_NS, .better = BETTER_LOWER},
        {.name = "late", .unit = UNIT_NS, .better = BETTER_LOWER},
    };
    static const struct benchmark_info fake = {.name = "fake", .metrics = timed, .metric_count = 2};
    static const char *const texts[] = {"", "late is noisy: ±342.5 ns at a median of 0",
                                        "noisy: ±272.0 ns at a median of 0"};
    for (int scattered = 0; scattered < 3; scattered++) {
        // Given frames that were never late, or late in some rounds, or only that was measured.
        struct arena *arena = arena_create();
        struct collect *collect =
            collect_create(arena, &fake, &(struct collect_rule){.goal = 0.01});
        for (int round = 0; round < 5; round++) {
            struct measure_visit *visit = measure_visit_create(arena);
            double late = scattered && round > 2 ? 400 : 0;
            visit_samples(visit, 0, (const double[]){scattered < 2 ? 1e6 : late}, 1, 1);
            visit_samples(visit, 1, &late, 1, 1);
            collect_visit(collect, visit);
        }
        // Then only the latter get a remark, and the first metric makes the case suspect.
        struct result result = {0};
        collect_result(collect, arena, &result);
        assert_int_equal(result.verdict, scattered < 2 ? VERDICT_OK : VERDICT_SUSPECT);
        assert_int_equal(result.reason_count, scattered);
        assert_string_equal(scattered ? result.reasons[0].text : "", texts[scattered]);
        arena_destroy(arena);
    }
}

static void better_than_physics_is_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(f.arena);
        visit_samples(visit, 0, (double[]){5e12}, 1, 1e9);
        visit_limit(visit, 0, 4.814e12);
        visit_samples(visit, 1, (double[]){30}, 1, 0.1);
        visit_limit(visit, 1, 30.05); // within the interval: no flag
        collect_visit(f.collect, visit);
    }
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.reason_count, 1);
    assert_non_null(strstr(find_reason(&result, "above-limit")->text, "3.9 % above"));
    NEAR(result.metrics[0].limit, 4.814e12, 0);
    arena_destroy(f.arena);
}

// Returns the verdict on five rounds of an equal time with a limit; the interval is ±0.1 ns.
static enum verdict verdict_at(double time, double limit, double *share)
{
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(f.arena);
        visit_samples(visit, 1, (double[]){time}, 1, 0.1);
        visit_limit(visit, 1, limit);
        collect_visit(f.collect, visit);
    }
    struct result result = end(&f);
    *share = metric_share(&result.metrics[0], result.metrics[0].median);
    enum verdict verdict = result.verdict;
    arena_destroy(f.arena);
    return verdict;
}

static void where_lower_is_better_a_time_below_its_limit_is_suspect(void **state)
{
    (void)state;
    double share;
    assert_int_equal(verdict_at(320, 100, &share), VERDICT_OK);
    NEAR(share, 0.3125, 1e-12);
    assert_int_equal(verdict_at(99, 100, &share), VERDICT_OK); // a share of 1.01
    // A share of 1.02, but not for the whole interval.
    assert_int_equal(verdict_at(98, 100, &share), VERDICT_OK);
    assert_int_equal(verdict_at(97, 100, &share), VERDICT_SUSPECT);
    NEAR(share, 100.0 / 97, 1e-12);
}

// Measures 20 rounds of four samples of about 100, with noise of 0.2 %. The samples of `slow`
// rounds, spread over the run, are higher by this share.
static struct result with_slow_rounds(struct fixture *f, int slow, double share)
{
    const struct collect_rule rule = {.goal = 0.005, .rounds_min = 20};
    begin_with(f, &rule);
    for (int round = 0; round < 20; round++) {
        double samples[4], level = 7 * round % 20 < slow ? 100 * (1 + share) : 100;
        for (int i = 0; i < 4; i++)
            samples[i] = level + 0.2 * noise_of(f);
        visit_with(f, samples, 4, 0.01);
    }
    return end(f);
}

// Given 20 rounds, of which a fifth to a half are in another state, when the case is judged, then
// it is suspect if the states are far apart. The interval, which is from ranks, need not show it.
static void rounds_of_two_states_are_noted_or_suspect(void **state)
{
    (void)state;
    static const struct {
        int slow;
        double share;
        const char *text; // beginning of the reason's text; NULL: none
        enum verdict verdict;
    } cases[] = {
        {0, 0.06, NULL, VERDICT_OK},
        {2, 0.06, NULL, VERDICT_OK}, // the median is that of most rounds
        {4, 0.06, "two states: 4 of 20 rounds are 5.", VERDICT_SUSPECT},
        {10, -0.06, "two states: 10 of 20 rounds are 6.", VERDICT_SUSPECT},
        {16, 0.06, "two states: 4 of 20 rounds are 5.", VERDICT_SUSPECT},
        {4, 0.02, "two states: 4 of 20 rounds are 1.", VERDICT_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct result result = with_slow_rounds(&f, cases[i].slow, cases[i].share);
        const struct reason *reason = find_reason(&result, "imprecise");
        assert_int_equal(reason != NULL, cases[i].text != NULL);
        if (reason)
            assert_memory_equal(reason->text, cases[i].text, strlen(cases[i].text));
        assert_int_equal(result.verdict, cases[i].verdict);
        arena_destroy(f.arena);
    }
}

// Given rounds with two slow samples of four, at random places, when the case is judged, then it is
// suspect: the median of each round is a value that no sample has.
static void a_median_between_two_states_of_samples_is_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    while (!collect_done(f.collect)) {
        double samples[4] = {100, 100, 100, 100};
        size_t first = random_below(&f.random, 4);
        samples[first] = samples[(first + 1 + random_below(&f.random, 3)) % 4] = 125;
        visit_with(&f, samples, 4, 0.01);
    }
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_string_equal(find_reason(&result, "correlated")->text,
                        "the value alternated while it was measured: 10 of 20 samples are 25 % "
                        "higher");
    arena_destroy(f.arena);
}

static bool is_correlated(struct fixture *f)
{
    struct result result = end(f);
    return find_reason(&result, "correlated") != NULL;
}

static void drift_within_rounds_is_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        double samples[16];
        for (int i = 0; i < 16; i++) // as after a warm-up that was too short
            samples[i] = 100 + 0.2 * i + 0.1 * noise_of(&f);
        visit_with(&f, samples, 16, 0);
    }
    assert_true(is_correlated(&f));
    arena_destroy(f.arena);
}

static void drift_over_the_run_is_suspect(void **state)
{
    (void)state;
    struct fixture f = begin(20);
    for (int round = 0; round < 20 && !collect_done(f.collect); round++)
        visit_with(&f, (double[]){100 + round + 0.3 * noise_of(&f)}, 1, 0);
    assert_true(is_correlated(&f));
    arena_destroy(f.arena);
}

static void drift_far_below_the_goal_does_not_matter(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        double samples[16];
        for (int i = 0; i < 16; i++)
            samples[i] = 100 + 0.01 * i;
        visit_with(&f, samples, 16, 0);
    }
    assert_false(is_correlated(&f));
    arena_destroy(f.arena);
}

static void independent_noise_is_hardly_ever_called_correlated(void **state)
{
    (void)state;
    // Given 2000 noisy cases of few samples, with levels that differ by round, then at most 0.3 %
    // false alarms.
    static const int lengths[] = {1, 2, 4, 8};
    int alarms = 0;
    struct fixture f = begin(5);
    for (int trial = 0; trial < 2000; trial++) {
        struct arena_mark mark = arena_mark(f.arena);
        f.collect = collect_create(f.arena, &info,
                                   &(struct collect_rule){.rounds_max = trial % 2 ? 5 : 20});
        while (!collect_done(f.collect)) {
            double samples[8], base = 100 + 2 * noise_of(&f);
            for (int i = 0; i < 8; i++)
                samples[i] = base + 2 * noise_of(&f);
            visit_with(&f, samples, (size_t)lengths[trial / 2 % 4], 0);
        }
        alarms += is_correlated(&f);
        arena_rewind(f.arena, mark);
    }
    assert_in_range(alarms, 0, 6);
    arena_destroy(f.arena);
}

static void flags_of_visits_are_counted_once_a_code(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(f.arena);
        visit_samples(visit, 0, (double[]){1}, 1, 0);
        if (round >= 3)
            visit_flag(visit, "issue-bound", "the control takes %d %%", 90 + round);
        visit_flag(visit, "throttled", "power");
        collect_visit(f.collect, visit);
    }
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.reason_count, 2);
    assert_string_equal(find_reason(&result, "issue-bound")->text,
                        "the control takes 93 % (in 2 of 5 rounds)");
    assert_string_equal(find_reason(&result, "throttled")->text, "power");
    arena_destroy(f.arena);
}

static void remarks_leave_the_verdict_as_it_is(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++) {
        struct measure_visit *visit = measure_visit_create(f.arena);
        visit_samples(visit, 0, (double[]){1}, 1, 0);
        visit_remark(visit, "power-limited", "1.78 GHz");
        collect_visit(f.collect, visit);
    }
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_string_equal(find_reason(&result, "power-limited")->text, "1.78 GHz");
    arena_destroy(f.arena);
}

static void samples_that_are_not_finite_are_dropped_and_reported(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){NAN, 7, INFINITY}, 3, 0);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.metrics[0].n, 5);
    assert_non_null(strstr(find_reason(&result, "not-finite")->text, "10 samples"));
    arena_destroy(f.arena);
}

// ---------------------------------------------------------------- distributions

static const struct benchmark_info spread = {
    .name = "spread", .metrics = &metrics[1], .metric_count = 1, .distribution = true};

static struct fixture begin_spread(void)
{
    struct fixture fixture = {.arena = arena_create()};
    fixture.collect = collect_create(fixture.arena, &spread, &(struct collect_rule){.goal = 0.05});
    random_init(&fixture.random, 11);
    return fixture;
}

// Makes a visit whose samples are mostly 2 and sometimes 80, like those of a victim behind a hog.
static void visit_two_peaks(struct fixture *fixture, size_t count, double factor)
{
    double values[64];
    for (size_t i = 0; i < count; i++)
        values[i] = factor * (random_unit(&fixture->random) < 0.45 ? 80 : 2) +
                    random_unit(&fixture->random);
    visit_with(fixture, values, count, 0);
}

static void two_peaks_are_a_result_and_no_flag(void **state)
{
    (void)state;
    struct fixture f = begin_spread();
    for (int round = 0; round < 5; round++)
        visit_two_peaks(&f, 20, 1);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_null(find_reason(&result, "few"));
    assert_null(find_reason(&result, "unsteady"));
    arena_destroy(f.arena);
}

static void a_median_among_censored_samples_is_a_lower_bound_and_a_remark(void **state)
{
    (void)state;
    for (int censored = 0; censored < 2; censored++) {
        // Given five rounds of equal samples. In the second trial, the samples of the third round
        // are lower bounds.
        struct fixture f = begin(5);
        for (int round = 0; round < 5; round++) {
            struct measure_visit *visit = measure_visit_create(f.arena);
            const double values[] = {100, 100};
            visit_samples(visit, 0, values, 2, 1);
            if (censored && round == 2)
                visit_at_least(visit, 0);
            collect_visit(f.collect, visit);
        }
        // Then the result says so, but its verdict does not change.
        struct result result = end(&f);
        assert_int_equal(result.verdict, VERDICT_OK);
        assert_int_equal(result.metrics[0].at_least, censored);
        assert_int_equal(find_reason(&result, "censored") != NULL, censored);
        arena_destroy(f.arena);
    }
}

static void few_samples_are_flagged_with_their_band(void **state)
{
    (void)state;
    struct fixture f = begin_spread();
    for (int round = 0; round < 5; round++)
        visit_two_peaks(&f, 2, 1);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_string_equal(find_reason(&result, "few")->text,
                        "only 10 samples: percentiles are unreliable (±43 % of the samples)");
    arena_destroy(f.arena);
}

static void a_round_of_another_distribution_is_named(void **state)
{
    (void)state;
    struct fixture f = begin_spread();
    for (int round = 0; round < 5; round++)
        visit_two_peaks(&f, 20, round == 3 ? 5 : 1);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_non_null(strstr(find_reason(&result, "unsteady")->text, "round 4 was "));
    assert_non_null(strstr(find_reason(&result, "unsteady")->text, "× slower than the rest"));
    arena_destroy(f.arena);
}

static void neighbours_may_be_alike_in_a_distribution(void **state)
{
    (void)state;
    struct fixture f = begin_spread();
    for (int round = 0; round < 5; round++) {
        double values[30];
        for (int i = 0; i < 30; i++)
            values[i] = 80 - 2 * i;
        visit_with(&f, values, 30, 0);
    }
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_null(find_reason(&result, "correlated"));
    arena_destroy(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_metric_that_is_far_less_precise_gets_a_remark),
        cmocka_unit_test(another_metric_of_one_round_gets_a_remark),
        cmocka_unit_test(what_one_visit_alone_took_has_the_interval_that_it_knows),
        cmocka_unit_test(what_the_host_times_need_not_be_as_precise),
        cmocka_unit_test(a_part_counts_by_what_it_adds_to_the_whole),
        cmocka_unit_test(a_share_counts_by_what_it_is_of_all),
        cmocka_unit_test(a_zero_within_a_step_of_the_clock_is_precise),
        cmocka_unit_test(rounds_of_two_states_are_noted_or_suspect),
        cmocka_unit_test(a_median_between_two_states_of_samples_is_suspect),
        cmocka_unit_test(better_than_physics_is_suspect),
        cmocka_unit_test(where_lower_is_better_a_time_below_its_limit_is_suspect),
        cmocka_unit_test(drift_within_rounds_is_suspect),
        cmocka_unit_test(drift_over_the_run_is_suspect),
        cmocka_unit_test(drift_far_below_the_goal_does_not_matter),
        cmocka_unit_test(independent_noise_is_hardly_ever_called_correlated),
        cmocka_unit_test(flags_of_visits_are_counted_once_a_code),
        cmocka_unit_test(remarks_leave_the_verdict_as_it_is),
        cmocka_unit_test(samples_that_are_not_finite_are_dropped_and_reported),
        cmocka_unit_test(two_peaks_are_a_result_and_no_flag),
        cmocka_unit_test(a_median_among_censored_samples_is_a_lower_bound_and_a_remark),
        cmocka_unit_test(few_samples_are_flagged_with_their_band),
        cmocka_unit_test(a_round_of_another_distribution_is_named),
        cmocka_unit_test(neighbours_may_be_alike_in_a_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
