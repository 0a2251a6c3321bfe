// SPDX-License-Identifier: MIT
// The findings about overlap, from a run made by hand.
#include "bench/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_overlap;

enum {
    FRAME,
    SAME_QUEUE,
    CROSS_QUEUE,
    GAP,
    DRAW_DISPATCH,
    DRAW_GAP,
    METRICS
};

static const struct metric_info metrics[METRICS] = {
    [FRAME] = {.name = "frame", .unit = UNIT_NS},
    [SAME_QUEUE] = {.name = "same_queue"},
    [CROSS_QUEUE] = {.name = "cross_queue"},
    [GAP] = {.name = "barrier_gap", .unit = UNIT_NS},
    [DRAW_DISPATCH] = {.name = "draw_dispatch"},
    [DRAW_GAP] = {.name = "draw_gap", .unit = UNIT_NS},
};
static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    return run;
}

static struct result *add(struct run *run, const char *scenario, const char *barrier)
{
    struct result *result = run_add_result(run);
    result->benchmark = "overlap";
    result->device = "vulkan:0";
    result->bench_case.values = ARENA_ARRAY(run->arena, 2, struct case_value);
    result->bench_case.value_count = 2;
    result->bench_case.values[0] =
        (struct case_value){.key = "scenario", .type = PARAM_TEXT, .text = scenario};
    result->bench_case.values[1] =
        (struct case_value){.key = "barrier", .type = PARAM_TEXT, .text = barrier};
    result->key = case_key(run->arena, "overlap", &result->bench_case);
    result->metrics = ARENA_ARRAY(run->arena, METRICS, struct metric);
    return result;
}

static void set(struct result *result, int metric, double median, double half)
{
    result->metrics[result->metric_count++] =
        (struct metric){.name = metrics[metric].name,
                        .unit = metrics[metric].unit,
                        .median = median,
                        .ci95 = {median - half, median + half},
                        .n = 80};
}

static const struct finding *find(const struct run *run, const char *code)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, code) == 0)
            return &run->findings[i];
    fail_msg("no finding %s", code);
    return NULL;
}

static void says(const struct run *run, const char *code, const char *words)
{
    const struct finding *finding = find(run, code);
    if (!strstr(finding->text, words))
        fail_msg("%s does not say \"%s\"", finding->text, words);
}

static void a_share_is_answered_by_where_its_interval_lies(void **state)
{
    (void)state;
    static const struct {
        double median, half;
        const char *words;
    } cases[] = {{0.93, 0.02, ": yes, 93 % [91 %, 95 %]"},
                 {0.01, 0.01, ": no, 1 % [0 %, 2 %]"},
                 {0.3, 0.1, ": partly, 30 % [20 %, 40 %]"},
                 {0.5, 0.2, ": undecided, 50 %"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run *run = make_run();
        set(add(run, "no-barriers", "none"), SAME_QUEUE, cases[i].median, cases[i].half);
        bench_overlap.conclude(run, "vulkan:0");
        says(run, "overlap-dispatches", cases[i].words);
        says(run, "overlap-dispatches", "published: GTX 980");
        assert_true(find(run, "overlap-dispatches")->value == cases[i].median);
        run_destroy(run);
    }
}

static void with_one_queue_the_answer_is_that_there_is_one(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "default", "memory"), FRAME, 1e6, 1e3);
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "overlap-queues", "no, there is one queue");
    run_destroy(run);
}

static void each_kind_of_barrier_has_its_gap(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "default", "memory"), GAP, 2100, 50);
    set(add(run, "default", "execution"), GAP, 20, 40);
    bench_overlap.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 2);
    assert_true(run->findings[0].value == 2100 && run->findings[1].value == 20);
    assert_non_null(strstr(run->findings[0].text, "memory barrier: 2.100 µs [2.050 µs, 2.150 µs]"));
    assert_non_null(strstr(run->findings[1].text, "execution barrier: below the noise (20.00 ns"));
    run_destroy(run);
}

// Given a gap of 70 ns by a clock with steps of 32 ns: nothing is claimed below three steps.
static void no_gap_is_claimed_below_the_clocks_resolution(void **state)
{
    (void)state;
    static const char *columns[] = {"tick",  "step",    "resolution", "behind", "reach",
                                    "known", "markers", "seen",       "agreed", "bars"};
    static double row[] = {1, 32, 96, 0, 640, 4000, 16, 16, 15, 900};
    static struct series calibration = {
        .name = "calibration", .columns = columns, .column_count = 10, .data = row, .row_count = 1};
    struct run *run = make_run();
    struct result *result = add(run, "default", "memory");
    set(result, GAP, 70, 10);
    result->series = &calibration;
    result->series_count = 1;
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "barrier-gap", "below the clock's resolution");
    says(run, "overlap-clock", "no core's clock lags another's by 640.0 ns or more");
    says(run, "overlap-clock", "timer resolution: 96.00 ns (ticks of 1.000 ns, steps of 32.00 ns)");
    says(run, "overlap-clock", "known to ±4.000 µs; the polling host saw 16 of 16 markers, 15 of");
    run_destroy(run);
    // An offset that no marker bounds is not stated.
    run = make_run();
    result = add(run, "default", "memory");
    set(result, GAP, 70, 10);
    row[5] = NAN;
    result->series = &calibration;
    result->series_count = 1;
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "overlap-clock", "640.0 ns or more; the polling host saw 16 of 16 markers");
    run_destroy(run);
}

static void handing_over_between_queues_is_asked_of_one_scenario_only(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "default", "memory"), GAP, 4800, 50);
    bench_overlap.conclude(run, "vulkan:0");
    for (size_t i = 0; i < run->finding_count; i++)
        assert_string_not_equal(run->findings[i].code, "overlap-hand-over");
    run_destroy(run);
    run = make_run();
    struct result *result = add(run, "cross-queue", "semaphore");
    set(result, GAP, 21000, 500);
    set(result, CROSS_QUEUE, 0, 0);
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "overlap-hand-over", "waits for another queue starts 21.00");
    for (size_t i = 0; i < run->finding_count; i++)
        assert_string_not_equal(run->findings[i].code, "barrier-gap"); // would say the same again
    run_destroy(run);
}

// A scenario for two queues that ran on one queue gives no finding about two.
static void on_one_queue_nothing_is_handed_over(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "cross-queue", "semaphore"), GAP, 21000, 500);
    bench_overlap.conclude(run, "vulkan:0");
    for (size_t i = 0; i < run->finding_count; i++)
        assert_string_not_equal(run->findings[i].code, "overlap-hand-over");
    says(run, "barrier-gap", "21.00");
    run_destroy(run);
}

static void draws_have_verdicts_of_their_own(void **state)
{
    (void)state;
    static const struct {
        double target, buffer;
        const char *words;
    } cases[] = {{9000, 5000, "yes, 9.000 µs"},
                 {5000, 9000, "no, less"},
                 {5000, 5050, "no, there is no measurable difference"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run *run = make_run();
        set(add(run, "no-barriers", "none"), DRAW_DISPATCH, 0.01, 0.01);
        set(add(run, "draws", "buffer"), DRAW_GAP, cases[i].buffer, 100);
        set(add(run, "draws", "target"), DRAW_GAP, cases[i].target, 100);
        bench_overlap.conclude(run, "vulkan:0");
        says(run, "overlap-draw-dispatch", "no, 1 % [0 %, 2 %]");
        says(run, "target-barrier", cases[i].words);
        assert_int_equal(find(run, "target-barrier")->key_count, 2);
        run_destroy(run);
    }
}

static void without_intervals_nothing_is_called_noise_or_equal(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "default", "memory"), GAP, 5000, NAN);
    set(add(run, "draws", "buffer"), DRAW_GAP, 5000, NAN);
    set(add(run, "draws", "target"), DRAW_GAP, 9000, NAN);
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "barrier-gap", "memory barrier: 5.000 µs until the workload that waits starts");
    says(run, "target-barrier", "undecided, 9.000 µs against 5.000 µs");
    run_destroy(run);
}

// A row of the matrix: two workloads, overlap, 1 if b waits for a, 1 if both are on one queue.
struct pair {
    double a, b, overlap, ordered, shared;
};

static void set_matrix(struct run *run, struct result *result, const struct pair *pairs,
                       size_t count)
{
    static const char *columns[] = {"a", "b", "overlap", "low", "high", "ordered", "queue_shared"};
    double *cell = ARENA_ARRAY(run->arena, count * 7, double);
    result->series = ARENA_NEW(run->arena, struct series);
    result->series_count = 1;
    *result->series = (struct series){
        .name = "matrix", .columns = columns, .column_count = 7, .data = cell, .row_count = count};
    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = &pairs[i];
        const double row[7] = {pair->a,       pair->b,       pair->overlap, pair->overlap,
                               pair->overlap, pair->ordered, pair->shared};
        memcpy(cell + i * 7, row, sizeof row);
    }
}

static bool has(const struct run *run, const char *code)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, code) == 0)
            return true;
    return false;
}

static void a_workload_that_only_stands_between_is_a_bystander(void **state)
{
    (void)state;
    // C (2) waits for A (0); B (1) stands between them.
    static const struct pair pairs[] = {{0, 1, 1, 0, 1}, {0, 2, 0, 1, 1}, {1, 2, 0.01, 0, 1}};
    struct run *run = make_run();
    set_matrix(run, add(run, "three", "memory"), pairs, 3);
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "overlap-bystander", "unrelated one before it: no, 1 % [1 %, 1 %]");
    run_destroy(run);
}

// Two chains take turns: C (2) waits for A (0), and D (3), on the other queue, waits for B (1). B
// runs beside C, but no barrier is between the queues.
static void no_workload_of_another_queue_is_a_bystander(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 0.99, 0, 0}, {0, 2, 0, 1, 1}, {1, 2, 0.99, 0, 0},
                                        {0, 3, 0, 0, 0},    {1, 3, 0, 1, 1}, {2, 3, 0.99, 0, 0}};
    struct run *run = make_run();
    set_matrix(run, add(run, "turns.json", "memory"), pairs, 6);
    bench_overlap.conclude(run, "vulkan:0");
    assert_false(has(run, "overlap-bystander"));
    run_destroy(run);
    // A workload that waits only for the other queue has a semaphore before it.
    static const struct pair awaited[] = {{0, 1, 1, 0, 0}, {0, 2, 0, 1, 0}, {1, 2, 0.99, 0, 1}};
    run = make_run();
    set_matrix(run, add(run, "awaited.json", "memory"), awaited, 3);
    bench_overlap.conclude(run, "vulkan:0");
    assert_false(has(run, "overlap-bystander"));
    run_destroy(run);
}

// As the scenario three, with two workloads of the other queue (1 and 3) between: C (4) waits for A
// (0), and B (2) is right before C.
static void a_bystander_is_the_neighbour_on_the_queue(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 1, 0, 0},    {0, 2, 1, 0, 1}, {1, 2, 1, 0, 0},
                                        {0, 4, 0, 1, 1},    {1, 4, 1, 0, 0}, {2, 4, 0.02, 0, 1},
                                        {3, 4, 0.99, 0, 0}, {0, 3, 1, 0, 0}, {1, 3, 1, 0, 1}};
    struct run *run = make_run();
    set_matrix(run, add(run, "mine.json", "memory"), pairs, 9);
    bench_overlap.conclude(run, "vulkan:0");
    says(run, "overlap-bystander", "unrelated one before it: no, 2 %");
    run_destroy(run);
}

static void split_barriers_help_only_where_the_intervals_are_apart(void **state)
{
    (void)state;
    static const struct {
        double plain, split, half; // half: half-width of both intervals
        const char *words;
    } cases[] = {
        {400e3, 402e3, 2e3, "no difference"},
        {400e3, 415e3, 2e3, "no difference"}, // the intervals differ, but runs vary as much
        {400e3, 300e3, 2e3, "a shorter frame, 0.75"},
        {400e3, 500e3, 2e3, "a longer frame, 1.25"},
        // Times that may be equal or different are not called equal, with an interval or without.
        {400e3, 418e3, 2e3, "undecided, 1.045 [1.035, 1.055] times"},
        {400e3, 400e3, 200e3, "undecided, 1 [0.3333, 3] times"},
        {400e3, 402e3, 500e3, "undecided, 1.005 times"}, // the interval reaches below 0
        {400e3, 402e3, NAN, "undecided, 1.005 times"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run *run = make_run();
        set(add(run, "three", "memory"), FRAME, cases[i].plain, cases[i].half);
        set(add(run, "three-split", "split"), FRAME, cases[i].split, cases[i].half);
        bench_overlap.conclude(run, "vulkan:0");
        says(run, "split-barrier", cases[i].words);
        assert_int_equal(find(run, "split-barrier")->key_count, 2);
        run_destroy(run);
    }
}

// A refused case ran at medium priority. An equal time then says nothing about the priority.
static void a_refused_priority_is_no_verdict_on_it(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        struct run *run = make_run();
        set(add(run, "default", "memory"), FRAME, 400e3, 1e3);
        struct result *urgent = add(run, "high-priority", "memory");
        set(urgent, FRAME, 400e3, 1e3);
        if (refused)
            result_flag(run->arena, urgent, VERDICT_SUSPECT, "priority-refused", "high: no");
        bench_overlap.conclude(run, "vulkan:0");
        says(run, "queue-priority",
             refused ? "compute queue: not measured, as the driver refused high priority "
                       "(high-priority, memory"
                     : "compute queue: no difference, 1 ");
        assert_int_equal(isnan(find(run, "queue-priority")->value), refused);
        run_destroy(run);
    }
}

static void findings_are_added_once_and_failed_cases_say_nothing(void **state)
{
    (void)state;
    struct run *run = make_run();
    set(add(run, "no-barriers", "none"), SAME_QUEUE, 0.9, 0.01);
    struct result *failed = add(run, "default", "memory");
    set(failed, CROSS_QUEUE, 0.9, 0.01);
    failed->verdict = VERDICT_FAILED;
    bench_overlap.conclude(run, "vulkan:0");
    assert_int_equal(run->finding_count, 1);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_is_answered_by_where_its_interval_lies),
        cmocka_unit_test(with_one_queue_the_answer_is_that_there_is_one),
        cmocka_unit_test(each_kind_of_barrier_has_its_gap),
        cmocka_unit_test(no_gap_is_claimed_below_the_clocks_resolution),
        cmocka_unit_test(handing_over_between_queues_is_asked_of_one_scenario_only),
        cmocka_unit_test(on_one_queue_nothing_is_handed_over),
        cmocka_unit_test(draws_have_verdicts_of_their_own),
        cmocka_unit_test(without_intervals_nothing_is_called_noise_or_equal),
        cmocka_unit_test(a_workload_that_only_stands_between_is_a_bystander),
        cmocka_unit_test(no_workload_of_another_queue_is_a_bystander),
        cmocka_unit_test(a_bystander_is_the_neighbour_on_the_queue),
        cmocka_unit_test(split_barriers_help_only_where_the_intervals_are_apart),
        cmocka_unit_test(a_refused_priority_is_no_verdict_on_it),
        cmocka_unit_test(findings_are_added_once_and_failed_cases_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
