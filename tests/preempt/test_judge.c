// SPDX-License-Identifier: MIT
// How a victim got in, from workgroups made by hand, and the statistics of responses.
#include "bench/preempt/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// The victim runs from 1000 to 2000.
static struct load_run victim = {.start_ns = 1000, .end_ns = 2000};
static double natural_ns; // pauses that the hog has without a victim, too
static double alone_ns;   // length of the hog's submission alone; 0: not known

static enum judge_entry entry_beside(struct load_group *groups, size_t count)
{
    struct load_run hog = {.start_ns = groups[0].start_ns, .groups = groups, .group_count = count};
    for (size_t i = 0; i < count; i++)
        hog.end_ns = fmax(hog.end_ns, groups[i].end_ns);
    return judge_entry_of(&victim, &hog, 1,
                          &(struct judge_limits){.resolution_ns = 3,
                                                 .pause_ns = natural_ns,
                                                 .alone_ns = alone_ns,
                                                 .victims = &victim,
                                                 .victim_count = 1});
}

static void workgroups_that_run_meanwhile_are_co_resident(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 900, 5, 0}, {1200, 1300, 5, 0}, {1300, 1400, 5, 0}};
    assert_int_equal(entry_beside(groups, 3), JUDGE_CO_RESIDENT);
}

static void workgroups_that_stand_still_meanwhile_were_stopped(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 9000, 1010, 0}, {500, 9000, 990, 1}};
    assert_int_equal(entry_beside(groups, 2), JUDGE_MID_SHADER);
}

// Schedulers may pause a workgroup of the hog for longer than the victim runs.
static void pauses_that_the_hog_has_alone_prove_nothing(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 9000, 1010, 0}, {500, 9000, 990, 1}};
    natural_ns = 1500;
    assert_int_equal(entry_beside(groups, 2), JUDGE_CO_RESIDENT);
    natural_ns = 0;
}

// … but if the hog's submission grew by the time of its victims, it stood still for them.
static void a_hog_that_is_drawn_out_by_its_victim_stood_still(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 9000, 1010, 0}, {500, 9000, 990, 1}};
    natural_ns = 1500;
    alone_ns = 8100;
    assert_int_equal(entry_beside(groups, 2), JUDGE_MID_SHADER);
    alone_ns = 8800;
    assert_int_equal(entry_beside(groups, 2), JUDGE_CO_RESIDENT);
    natural_ns = alone_ns = 0;
}

static void a_victim_that_was_stopped_itself_took_turns(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 900, 5, 0}, {1200, 1300, 5, 0}};
    victim.pause_ns = 300;
    assert_int_equal(entry_beside(groups, 2), JUDGE_IN_TURNS);
    victim.pause_ns = 0;
}

static void between_workgroups_of_one_submission_is_a_boundary(void **state)
{
    (void)state;
    // The second workgroup ends within the clock's resolution of the victim's start.
    struct load_group groups[] = {{0, 900, 5, 0}, {800, 1002, 5, 1}, {2100, 2200, 5, 0}};
    assert_int_equal(entry_beside(groups, 3), JUDGE_BOUNDARY);
}

static void behind_a_submission_it_waited(void **state)
{
    (void)state;
    struct load_group groups[] = {{0, 900, 5, 0}, {500, 990, 5, 1}};
    assert_int_equal(entry_beside(groups, 2), JUDGE_WAITED);
}

static void without_a_hog_it_is_alone(void **state)
{
    (void)state;
    assert_int_equal(judge_entry_of(&victim, NULL, 0, &(struct judge_limits){.resolution_ns = 3}),
                     JUDGE_ALONE);
    struct load_group later[] = {{3000, 4000, 5, 0}};
    assert_int_equal(entry_beside(later, 1), JUDGE_ALONE);
}

static void every_way_in_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a < JUDGE_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(judge_names[a], judge_names[b]);
}

static const struct series *series_of(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->series_count; i++)
        if (strcmp(visit->series[i].name, name) == 0)
            return &visit->series[i];
    fail_msg("no series %s", name);
    return NULL;
}

// Responses of 1, 2, 3 … ms, each from an event of its own.
static void high_quantiles_need_many_samples_and_the_histogram_holds_them_all(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct preempt_history *history = ARENA_NEW(arena, struct preempt_history);
    static const struct {
        size_t wanted, rows; // quantiles 0, 0.5, 1; then also 0.9, 0.95, 0.99
    } steps[] = {{99, 3}, {100, 4}, {299, 4}, {300, 5}, {999, 5}, {1000, 6}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct measure_visit *visit = measure_visit_create(arena);
        while (history->count < steps[i].wanted) {
            preempt_history_add(history, 1e6 * (double)(history->count + 1), false);
            history->entries[JUDGE_WAITED]++;
            history->events++;
        }
        preempt_series_history(arena, history, visit);
        const struct series *quantiles = series_of(visit, "quantiles");
        assert_int_equal(quantiles->row_count, steps[i].rows);
        const double *median = quantiles->data + 6;
        assert_true(median[0] == 0.5);
        assert_true(fabs(median[1] - 0.5e6 * (double)steps[i].wanted) <= 1e6);
        assert_true(median[2] < median[1] && median[3] > median[1]);
        assert_true(median[5] == 0);
        const struct series *histogram = series_of(visit, "histogram");
        double all = 0;
        for (size_t bin = 0; bin < histogram->row_count; bin++)
            all += histogram->data[3 * bin + 2];
        assert_true(all == (double)steps[i].wanted);
        assert_true(series_of(visit, "entered")->data[JUDGE_WAITED] == (double)steps[i].wanted);
        assert_true(series_of(visit, "entered")->data[JUDGE_ALONE] == 0);
    }
    arena_destroy(arena);
}

// 300 answers from 30 events: ten answers of one backlog say no more than one.
static void intervals_go_by_events_not_by_answers(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct preempt_history *history = ARENA_NEW(arena, struct preempt_history);
    double widths[2];
    for (int answer = 1; answer <= 300; answer++)
        preempt_history_add(history, 1e6 * answer, false);
    for (int i = 0; i < 2; i++) {
        struct measure_visit *visit = measure_visit_create(arena);
        history->events = i ? 30 : 300;
        preempt_series_history(arena, history, visit);
        const double *median = series_of(visit, "quantiles")->data + 6;
        widths[i] = median[3] - median[2];
    }
    assert_true(fabs(widths[0] - 2 * 1.96 * 1e6 * sqrt(300 * 0.25)) < 3e6);
    assert_true(fabs(widths[1] - 2 * 1.96 * 1e6 * 300 * sqrt(0.25 / 30)) < 3e6);
    arena_destroy(arena);
}

// Of ten answers, four are only known to be longer than 5: 1 2 3 4 5 6 and four times "> 5".
static void a_quantile_among_censored_answers_is_a_lower_bound(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    static const double ns[] = {1, 2, 3, 4, 5, 6, 5, 5, 5, 5};
    static const bool censored[] = {false, false, false, false, false,
                                    false, true,  true,  true,  true};
    const struct preempt_responses responses = preempt_responses_sort(arena, ns, censored, 10);
    struct preempt_quantile quantile = preempt_quantile_of(&responses, 0.25);
    assert_true(quantile.ns == 3.25 && !quantile.at_least);
    quantile = preempt_quantile_of(&responses, 0.9); // 5 is a bound; the truth is unknown
    assert_true(quantile.ns >= 5 && quantile.at_least);
    quantile = preempt_quantile_of(&responses, 1);
    assert_true(quantile.ns == 6 && quantile.at_least);
    const double three[] = {1, 2, 5}; // the middle one does not depend on the last
    const struct preempt_responses middle =
        preempt_responses_sort(arena, three, (const bool[]){false, false, true}, 3);
    quantile = preempt_quantile_of(&middle, 0.5);
    assert_true(quantile.ns == 2 && !quantile.at_least);
    const struct preempt_responses known = preempt_responses_sort(arena, ns, censored, 6);
    quantile = preempt_quantile_of(&known, 1);
    assert_true(quantile.ns == 6 && !quantile.at_least);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workgroups_that_run_meanwhile_are_co_resident),
        cmocka_unit_test(workgroups_that_stand_still_meanwhile_were_stopped),
        cmocka_unit_test(pauses_that_the_hog_has_alone_prove_nothing),
        cmocka_unit_test(a_hog_that_is_drawn_out_by_its_victim_stood_still),
        cmocka_unit_test(a_victim_that_was_stopped_itself_took_turns),
        cmocka_unit_test(between_workgroups_of_one_submission_is_a_boundary),
        cmocka_unit_test(behind_a_submission_it_waited),
        cmocka_unit_test(without_a_hog_it_is_alone),
        cmocka_unit_test(every_way_in_has_a_name_of_its_own),
        cmocka_unit_test(high_quantiles_need_many_samples_and_the_histogram_holds_them_all),
        cmocka_unit_test(intervals_go_by_events_not_by_answers),
        cmocka_unit_test(a_quantile_among_censored_answers_is_a_lower_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
