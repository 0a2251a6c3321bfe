// SPDX-License-Identifier: MIT
#include "math/random.h"
#include "measure/collect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const struct metric_info metrics[] = {
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
};
static const struct benchmark_info info = {.name = "fake", .metrics = metrics, .metric_count = 2};

struct fixture {
    struct arena *arena;
    struct collect *collect;
    struct random random;
};

static void begin_with(struct fixture *fixture, const struct collect_rule *rule)
{
    fixture->arena = arena_create();
    fixture->collect = collect_create(fixture->arena, &info, rule);
    random_init(&fixture->random, 11);
}

static struct fixture begin(unsigned rounds_max)
{
    struct fixture fixture;
    begin_with(&fixture, &(struct collect_rule){.goal = 0.005, .rounds_max = rounds_max});
    return fixture;
}

static struct result end(struct fixture *fixture)
{
    struct result result = {0};
    collect_result(fixture->collect, fixture->arena, &result);
    return result;
}

static void visit_with(struct fixture *fixture, const double *values, size_t count, double step)
{
    struct measure_visit *visit = measure_visit_create(fixture->arena);
    visit->device_time_ns = 1000;
    visit_samples(visit, 0, values, count, step);
    collect_visit(fixture->collect, visit);
}

static const struct reason *find_reason(const struct result *result, const char *code)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, code) == 0)
            return &result->reasons[i];
    return NULL;
}

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
        visit_half(visit, 0, 20); // does not count, because there are five rounds
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
        visit_with(&f, (double[]){100 + round % 2}, 1, 0);
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_string_equal(find_reason(&result, "imprecise")->text, "noisy: ±0.68 % (goal ±0.5 %)");
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
    struct fixture f = begin(5);
    for (int round = 0; round < 5; round++)
        visit_with(&f, (double[]){100 + 0.74 * (round % 2)}, 1, 0);
    struct result result = end(&f);
    assert_string_equal(find_reason(&result, "imprecise")->text, "noisy: ±0.503 % (goal ±0.5 %)");
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
    assert_non_null(strstr(find_reason(&result, "imprecise")->text, "clock's step"));
    arena_destroy(f.arena);
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

// ---------------------------------------------------------------- the verdict

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
        for (int i = 0; i < 16; i++) // the warm-up was too short
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

// Makes a visit with one sample. `why` is a reason to take it again; NULL: no reason.
static void visit_doubtful(struct fixture *f, double value, const char *why)
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
    // Given two rounds at a low clock, one of them before it was known which clock the case keeps,
    // and clocks that differ by less than a step.
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
    for (int visit = 0; visit < 9; visit++) { // four of nine are disturbed
        assert_false(collect_done(f.collect));
        visit_doubtful(&f, visit % 2 ? 50 : 100, visit % 2 ? "other work" : NULL);
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
    visit_doubtful(&f, 100, NULL);
    for (int visit = 0; visit < 11; visit++) {
        assert_false(collect_done(f.collect));
        visit_doubtful(&f, 50, "other work");
    }
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.metrics[0].round_count, 12);
    assert_string_equal(find_reason(&result, "shared-device")->text,
                        "other work (in 11 of 12 rounds)");
    arena_destroy(f.arena);
}

static void enough_clean_rounds_do_without_the_doubtful_ones(void **state)
{
    (void)state;
    struct fixture f = begin(40);
    for (int visit = 0; visit < 6; visit++) // noisy: the case does not end after five rounds
        visit_doubtful(&f, 100 + 10 * (visit % 2), NULL);
    for (int visit = 0; visit < 16; visit++) {
        assert_false(collect_done(f.collect));
        visit_doubtful(&f, 50, "other work");
    }
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.metrics[0].round_count, 6);
    assert_null(find_reason(&result, "shared-device"));
    assert_non_null(find_reason(&result, "imprecise"));
    arena_destroy(f.arena);
}

static void doubtful_visits_count_when_the_time_is_used_up(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, &(struct collect_rule){.goal = 0.005, .budget_ns = 3000});
    visit_doubtful(&f, 100, NULL);
    visit_doubtful(&f, 50, "other work");
    // The number of rounds if the caller made no more visits.
    assert_int_equal(end(&f).metrics[0].round_count, 2);
    assert_false(collect_done(f.collect));
    visit_doubtful(&f, 100, NULL);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_SUSPECT);
    assert_int_equal(result.metrics[0].round_count, 3);
    assert_non_null(find_reason(&result, "shared-device"));
    arena_destroy(f.arena);
}

static void a_doubt_found_later_opens_the_case_again(void **state)
{
    (void)state;
    struct fixture f = begin(5);
    for (int visit = 0; visit < 5; visit++)
        visit_doubtful(&f, visit < 3 ? 100 : 50, NULL);
    assert_true(collect_done(f.collect));
    collect_doubt(f.collect, 3, &(struct reason){.code = "shared-device", .text = "other work"});
    assert_false(collect_done(f.collect));
    assert_int_equal(collect_rounds(f.collect), 3);
    visit_doubtful(&f, 100, NULL);
    visit_doubtful(&f, 100, NULL);
    assert_true(collect_done(f.collect));
    struct result result = end(&f);
    assert_int_equal(result.verdict, VERDICT_OK);
    assert_true(result.metrics[0].median == 100 && result.metrics[0].ci95[0] == 100);
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
        cmocka_unit_test(equal_samples_stop_at_the_first_look),
        cmocka_unit_test(the_first_metric_may_be_absent),
        cmocka_unit_test(looks_happen_only_after_5_10_20_rounds),
        cmocka_unit_test(the_budget_ends_a_case_and_it_is_reported),
        cmocka_unit_test(a_little_imprecise_is_noted_and_very_imprecise_is_suspect),
        cmocka_unit_test(a_half_width_that_rounds_to_the_goal_is_shown_with_more_digits),
        cmocka_unit_test(a_coarse_clock_ends_the_case_once_only_its_step_is_left),
        cmocka_unit_test(one_round_gives_no_interval),
        cmocka_unit_test(better_than_physics_is_suspect),
        cmocka_unit_test(where_lower_is_better_a_time_below_its_limit_is_suspect),
        cmocka_unit_test(drift_within_rounds_is_suspect),
        cmocka_unit_test(drift_over_the_run_is_suspect),
        cmocka_unit_test(drift_far_below_the_goal_does_not_matter),
        cmocka_unit_test(independent_noise_is_hardly_ever_called_correlated),
        cmocka_unit_test(flags_of_visits_are_counted_once_a_code),
        cmocka_unit_test(rounds_at_a_lower_clock_are_taken_again),
        cmocka_unit_test(two_clocks_that_never_become_one_are_suspect),
        cmocka_unit_test(a_limit_that_does_not_last_is_a_low_clock),
        cmocka_unit_test(what_the_card_limits_may_vary),
        cmocka_unit_test(a_visit_to_be_taken_again_is_no_round),
        cmocka_unit_test(too_many_retakes_count_and_make_the_case_suspect),
        cmocka_unit_test(enough_clean_rounds_do_without_the_doubtful_ones),
        cmocka_unit_test(doubtful_visits_count_when_the_time_is_used_up),
        cmocka_unit_test(a_doubt_found_later_opens_the_case_again),
        cmocka_unit_test(remarks_leave_the_verdict_as_it_is),
        cmocka_unit_test(samples_that_are_not_finite_are_dropped_and_reported),
        cmocka_unit_test(failures_decide_the_verdict_and_leave_no_number),
        cmocka_unit_test(two_peaks_are_a_result_and_no_flag),
        cmocka_unit_test(a_median_among_censored_samples_is_a_lower_bound_and_a_remark),
        cmocka_unit_test(few_samples_are_flagged_with_their_band),
        cmocka_unit_test(a_round_of_another_distribution_is_named),
        cmocka_unit_test(neighbours_may_be_alike_in_a_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
