// SPDX-License-Identifier: MIT
// Rounds, blocks and time. The fake GPU runs in this process, and so does the clock: only sleeps
// and readings make time pass. So no outcome depends on how busy the machine is.
#include "suite/schedule.h"

#include "base/clock.h"
#include "results/reasons.h"
#include "suite/watcher.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    VISITS_MAX = 1024
};

// ---------------------------------------------------------------- the clock below base/clock.c

static _Atomic uint64_t now_ns = NS_PER_S;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *by, void *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    uint64_t ns = atomic_fetch_add(&now_ns, 1000);
    *now = (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *by, void *left)
{
    (void)clock, (void)flags, (void)left;
    atomic_fetch_add(&now_ns, (uint64_t)by->tv_sec * NS_PER_S + (uint64_t)by->tv_nsec);
    return 0;
}

// ---------------------------------------------------------------- in place of watches

struct stage;

static bool is_shared; // if true, each watch finds other work on the device
// Stage whose device does other work from the end of its first benchmark on; NULL if there is none.
static const struct stage *beside;

bool __wrap_executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                           struct watch_finding *finding, struct error *err);

// ---------------------------------------------------------------- a stage

struct stage {
    struct run *run;
    struct gpu_system *system;
    struct schedule_desc desc;
    struct device_slot slot;
    struct budget budget;
    const char *visits[VISITS_MAX]; // case keys, in the order of the visits
    double fractions[VISITS_MAX];
    size_t visit_count;
    size_t saves, results_at_save;
    size_t benchmarks_done;
};

static void note_visit(void *context, const struct schedule_state *state)
{
    struct stage *stage = context;
    assert_true(stage->visit_count < VISITS_MAX);
    stage->fractions[stage->visit_count] = state->fraction;
    stage->visits[stage->visit_count++] = state->plan_case->key;
}

static void note_save(void *context)
{
    struct stage *stage = context;
    stage->saves++;
    stage->results_at_save = stage->run->result_count;
    for (size_t i = 0; i < stage->run->result_count; i++)
        assert_true(stage->run->results[i]->metric_count > 0);
}

static void note_done(void *context, const char *device, const char *benchmark)
{
    struct stage *stage = context;
    assert_string_equal(device, "fake:0");
    assert_non_null(benchmark_find(benchmark));
    stage->benchmarks_done++;
}

// Creates a stage for all benchmarks of a preset; its budget may still be changed.
static struct stage *stage_create(const char *fake, const char *setting_text)
{
    setenv("FATHOM_FAKE", fake, 1);
    struct run *run = run_create();
    struct stage *stage = ARENA_NEW(run->arena, struct stage);
    stage->run = run;
    stage->system = gpu_system_create(&(struct gpu_system_desc){.only_api = "fake"});
    const struct gpu_info *device = gpu_system_info(stage->system, 0);
    struct setting setting;
    struct error err = {0};
    struct choice_request choices = {
        .benchmarks = benchmarks, .benchmark_count = 2, .preset = "quick"};
    if (setting_text) {
        assert_true(setting_parse(run->arena, setting_text, &setting, &err));
        choices.settings = &setting;
        choices.setting_count = 1;
    }
    budget_of("quick", device, &stage->budget);
    stage->budget.rounds_min = stage->budget.rounds_max = 5;
    stage->slot = (struct device_slot){
        .device = device,
        .plan = plan_preset_create(run->arena, &choices, device, run, &err),
        .executor = executor_create(
            run->arena, &(struct executor_desc){.device_id = device->id, .in_process = true})};
    stage->desc = (struct schedule_desc){
        .run = run,
        .slots = &stage->slot,
        .slot_count = 1,
        .budget = &stage->budget,
        .preset = "quick",
        .seed = 1,
        .progress = note_visit,
        .save = note_save,
        .save_ns = UINT64_MAX,
        .benchmark_done = note_done,
        .context = stage,
    };
    assert_non_null(stage->slot.plan);
    return stage;
}

static void stage_destroy(struct stage *stage)
{
    executor_destroy(stage->slot.executor);
    gpu_system_destroy(stage->system);
    run_destroy(stage->run);
}

static bool has_reason(const struct result *result, const char *code)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, code) == 0)
            return true;
    return false;
}

static size_t visits_of(const struct stage *stage, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->visit_count; i++)
        count += strcmp(stage->visits[i], key) == 0;
    return count;
}

bool __wrap_executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                           struct watch_finding *finding, struct error *err)
{
    (void)executor, (void)least_ns, (void)arena;
    if (!is_shared && !beside)
        return error_set(err, ERROR_UNSUPPORTED, "no watch");
    *finding = (struct watch_finding){.method = WATCH_GAPS,
                                      .share = is_shared || beside->benchmarks_done ? 0.5 : 0,
                                      .watched_ns = 5e6,
                                      .rates = {NAN, NAN, NAN, NAN, NAN, NAN},
                                      .limits = {NAN, NAN, NAN, NAN, NAN, NAN},
                                      .link_traffic = NAN,
                                      .memory_change = NAN,
                                      .others_traffic = NAN,
                                      .host_used = NAN,
                                      .host_waited = NAN};
    return true;
}

// ----------------------------------------------------------------

static void rounds_are_interleaved_and_shuffled(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", "bytes=4KiB,8KiB,16KiB,32KiB");
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->visit_count, 2 * 4 * 5); // two blocks of four cases in five rounds
    bool orders_differ = false;
    for (size_t round = 0; round < 10; round++) {
        const char *const *visits = stage->visits + 4 * round;
        for (size_t i = 0; i < 4; i++) {
            orders_differ |= round % 5 > 0 && strcmp(visits[i], visits[(ptrdiff_t)i - 4]) != 0;
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(visits[i], visits[k]); // each case once a round
        }
    }
    assert_true(orders_differ);
    stage_destroy(stage);
}

static void the_seed_decides_the_order(void **state)
{
    (void)state;
    struct stage *stages[3];
    for (size_t i = 0; i < 3; i++) {
        stages[i] = stage_create("", "bytes=4KiB..64KiB");
        stages[i]->desc.seed = i < 2 ? 9 : 10;
        assert_true(schedule_run(&stages[i]->desc));
    }
    bool same = true, differs = false;
    for (size_t i = 0; i < stages[0]->visit_count; i++) {
        same &= strcmp(stages[0]->visits[i], stages[1]->visits[i]) == 0;
        differs |= strcmp(stages[0]->visits[i], stages[2]->visits[i]) != 0;
    }
    assert_true(same && differs);
    for (size_t i = 0; i < 3; i++)
        stage_destroy(stages[i]);
}

// Visits beside other work are made again, but what was shown as done stays done.
static void progress_goes_from_nothing_to_nearly_all(void **state)
{
    (void)state;
    for (int i = 1; i >= 0; i--) {
        is_shared = i;
        struct stage *stage = stage_create("slow=10", "sum.bytes=4KiB,8KiB");
        assert_true(schedule_run(&stage->desc));
        assert_true(stage->fractions[0] < 0.01);
        for (size_t v = 1; v < stage->visit_count; v++)
            assert_true(stage->fractions[v] >= stage->fractions[v - 1]);
        assert_true(is_shared || stage->fractions[stage->visit_count - 1] > 0.9);
        assert_int_equal(stage->benchmarks_done, 2);
        stage_destroy(stage);
    }
}

static void note_unknown_total(void *context, const struct schedule_state *state)
{
    assert_int_equal(state->total, 0);
    assert_int_equal(state->benchmark_total, 0);
    assert_true(!isfinite(state->left_s));
    note_visit(context, state);
}

static void a_plan_that_grows_has_no_share_done_and_no_time_left(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", NULL);
    stage->slot.plan->grows = true;
    stage->desc.progress = note_unknown_total;
    assert_true(schedule_run(&stage->desc));
    assert_true(stage->visit_count > 0);
    stage_destroy(stage);
}

static void what_is_known_is_in_the_run_at_each_save(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", NULL);
    stage->desc.save_ns = 0;
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->saves, stage->visit_count);
    assert_int_equal(stage->results_at_save, 4);
    assert_int_equal(stage->run->result_count, 4);
    assert_string_equal(stage->run->results[0]->key, "sum/bytes=4096"); // in the plan's order
    stage_destroy(stage);
}

static void save_slowly(void *context)
{
    struct stage *stage = context;
    stage->saves++;
    clock_sleep_ns(5 * NS_PER_MS);
}

static void saves_that_take_long_are_made_less_often(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", NULL);
    stage->desc.save = save_slowly;
    stage->desc.save_ns = 1;
    uint64_t began_ns = clock_now_ns();
    assert_true(schedule_run(&stage->desc));
    uint64_t took_ns = clock_now_ns() - began_ns;
    assert_true(stage->saves >= 1);
    assert_true((stage->saves - 1) * SCHEDULE_SAVE_SHARE * 5 * NS_PER_MS <= took_ns);
    stage_destroy(stage);
}

// Checks what each save writes, because a run that is killed leaves its last save.
static void note_unfinished(void *context)
{
    struct stage *stage = context;
    for (size_t i = 0; i < stage->run->result_count; i++) {
        const struct result *result = stage->run->results[i];
        bool is_finished = visits_of(stage, result->key) >= 5;
        assert_int_equal(result->verdict, is_finished ? VERDICT_OK : VERDICT_SUSPECT);
        assert_int_equal(has_reason(result, "unfinished"), !is_finished);
        stage->saves += !is_finished;
    }
}

static void cases_of_too_few_rounds_are_no_good_numbers_on_the_way(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", NULL);
    stage->desc.save = note_unfinished;
    stage->desc.save_ns = 0;
    assert_true(schedule_run(&stage->desc));
    assert_true(stage->saves > 0);
    for (size_t i = 0; i < stage->run->result_count; i++)
        assert_false(has_reason(stage->run->results[i], "unfinished"));
    stage_destroy(stage);
}

static void time_that_runs_out_before_five_rounds_makes_cases_suspect(void **state)
{
    (void)state;
    // A visit submits four times, 10 ms each, so five rounds of two cases take 400 ms.
    struct stage *stage = stage_create("slow=10", "bytes=4KiB,8KiB");
    stage->budget.time_most_ns = NS_PER_S / 5;
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->run->result_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct result *result = stage->run->results[i];
        assert_in_range(visits_of(stage, result->key), 1, 4);
        assert_int_equal(result->verdict, VERDICT_SUSPECT);
        assert_true(has_reason(result, "out-of-time"));
        assert_true(result->metric_count > 0);
    }
    stage_destroy(stage);
}

// Given a compiler that takes longer than a benchmark may measure, then the cases still get all
// their rounds.
static void time_to_compile_does_not_count(void **state)
{
    (void)state;
    // Each of the 5 visits of a case compiles for 300 ms.
    struct stage *stage = stage_create("compile=300", "bytes=4KiB");
    stage->budget.time_most_ns = NS_PER_S;
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->run->result_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct result *result = stage->run->results[i];
        assert_int_equal(result->verdict, VERDICT_OK);
        assert_int_equal(visits_of(stage, result->key), 5);
    }
    stage_destroy(stage);
}

static void noisy_cases_get_more_rounds_while_time_lasts(void **state)
{
    (void)state;
    for (int in_a_hurry = 0; in_a_hurry < 2; in_a_hurry++) {
        struct stage *stage = stage_create("noise=300", "bytes=4KiB,8KiB");
        stage->budget.rounds_max = 40;
        stage->budget.time_ns = in_a_hurry ? 1 : 0;
        assert_true(schedule_run(&stage->desc));
        for (size_t i = 0; i < stage->run->result_count; i++) {
            const struct result *result = stage->run->results[i];
            // The number of late rounds depends on the time. A hurried case has up to four times
            // the least rounds.
            size_t visits = visits_of(stage, result->key);
            assert_in_range(visits, in_a_hurry ? 5 : 40, in_a_hurry ? 20 : 40);
            assert_int_equal(has_reason(result, "out-of-time"), in_a_hurry);
            assert_true(result->metric_count > 0);
        }
        stage_destroy(stage);
    }
}

static void cases_of_quick_that_repeat_end_after_three_rounds(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        struct stage *stage = stage_create(noisy ? "noise=300" : "", "bytes=4KiB,8KiB");
        budget_of("quick", stage->slot.device, &stage->budget);
        assert_true(schedule_run(&stage->desc));
        for (size_t i = 0; i < stage->run->result_count; i++)
            assert_int_equal(visits_of(stage, stage->run->results[i]->key), noisy ? 6 : 3);
        stage_destroy(stage);
    }
}

static void cases_that_time_never_reaches_are_skipped(void **state)
{
    (void)state;
    struct stage *stage = stage_create("slow=10", "bytes=4KiB..1MiB");
    stage->budget.time_most_ns = NS_PER_S / 50;
    assert_true(schedule_run(&stage->desc));
    size_t skipped = 0;
    for (size_t i = 0; i < stage->run->result_count; i++) {
        const struct result *result = stage->run->results[i];
        assert_true(has_reason(result, "out-of-time"));
        assert_int_equal(result->verdict,
                         visits_of(stage, result->key) ? VERDICT_SUSPECT : VERDICT_SKIPPED);
        skipped += result->verdict == VERDICT_SKIPPED;
    }
    assert_int_equal(stage->run->result_count, 18);
    assert_in_range(skipped, 14, 17);
    stage_destroy(stage);
}

static void a_plan_longer_than_a_block_is_visited_whole(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", "sum.bytes=4KiB..64KiB/32");
    stage->budget.rounds_max = 5;
    assert_int_equal(stage->slot.plan->total, 129 + 2);
    // There are more visits than stage->visits can hold.
    stage->desc.progress = NULL;
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->run->result_count, 129 + 2);
    assert_int_equal(stage->benchmarks_done, 2); // once a benchmark, not once a block
    stage_destroy(stage);
}

static void a_failing_case_is_visited_no_more(void **state)
{
    (void)state;
    struct stage *stage = stage_create("fail=30", NULL);
    assert_true(schedule_run(&stage->desc));
    size_t failed = 0;
    for (size_t i = 0; i < stage->run->result_count; i++) {
        const struct result *result = stage->run->results[i];
        bool has_failed = result->verdict == VERDICT_FAILED;
        failed += has_failed;
        assert_int_equal(visits_of(stage, result->key) == 5, !has_failed);
    }
    assert_int_equal(failed, 1);
    stage_destroy(stage);
}

static void flagged_visits_are_made_again_while_time_lasts(void **state)
{
    (void)state;
    struct stage *stage = stage_create("flag=2,noise=0", "sum.bytes=4KiB");
    assert_true(schedule_run(&stage->desc));
    const struct result *result = stage->run->results[0];
    assert_string_equal(result->benchmark, "sum");
    assert_int_equal(visits_of(stage, result->key), 7);
    assert_int_equal(result->metrics[0].round_count, 5);
    assert_int_equal(result->verdict, VERDICT_OK);
    stage_destroy(stage);
}

static void visits_that_are_all_flagged_make_the_case_suspect(void **state)
{
    (void)state;
    struct stage *stage = stage_create("flag=100,noise=0", "sum.bytes=4KiB");
    assert_true(schedule_run(&stage->desc));
    const struct result *result = stage->run->results[0];
    assert_int_equal(visits_of(stage, result->key), 10);
    assert_int_equal(result->verdict, VERDICT_SUSPECT);
    assert_true(has_reason(result, "shared-device"));
    stage_destroy(stage);
}

static void other_work_after_the_last_watch_of_a_case_does_not_concern_it(void **state)
{
    (void)state;
    // Given a watch after the last visit of the first benchmark that found nothing,
    struct stage *stage = stage_create("", NULL);
    beside = stage;
    // when other work begins then,
    assert_true(schedule_run(&stage->desc));
    beside = NULL;
    // then only results of the second benchmark are suspect.
    const char *first = stage->run->results[0]->benchmark;
    for (size_t i = 0; i < stage->run->result_count; i++) {
        const struct result *result = stage->run->results[i];
        bool is_first = strcmp(result->benchmark, first) == 0;
        assert_int_equal(result->verdict, is_first ? VERDICT_OK : VERDICT_SUSPECT);
        assert_int_equal(has_reason(result, REASON_SHARED_DEVICE), !is_first);
    }
    assert_string_not_equal(first, stage->run->results[stage->run->result_count - 1]->benchmark);
    stage_destroy(stage);
}

static unsigned listed; // calls of list_program in the running test

static void list_program(struct bench_session *session, const struct bench_case *c)
{
    struct error err = {0};
    assert_int_equal(c->value_count, 1);
    assert_null(measure_program(&session->programs, "fake_sum", NULL, &err));
    assert_int_equal(err.code, ERROR_INTERNAL); // the program is listed, but not compiled
    listed++;
}

// Given a benchmark that names the programs of its cases, when a block of two cases is measured in
// five rounds, then it is asked once for each case.
static void the_programs_of_a_block_are_compiled_before_its_first_visit(void **state)
{
    (void)state;
    struct stage *stage = stage_create("", NULL);
    struct benchmark ahead = *benchmarks[0];
    const struct benchmark *const only[] = {&ahead};
    const struct choice_request choices = {
        .benchmarks = only, .benchmark_count = 1, .preset = "quick"};
    struct error err = {0};
    listed = 0;
    ahead.programs = list_program;
    stage->desc.progress = NULL; // its forecast knows only the benchmarks of this build
    stage->slot.plan =
        plan_preset_create(stage->run->arena, &choices, stage->slot.device, stage->run, &err);
    assert_true(schedule_run(&stage->desc));
    assert_int_equal(stage->run->result_count, 2);
    assert_int_equal(stage->run->results[1]->metrics[0].round_count, 5);
    assert_int_equal(listed, 2);
    stage_destroy(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_interleaved_and_shuffled),
        cmocka_unit_test(the_seed_decides_the_order),
        cmocka_unit_test(progress_goes_from_nothing_to_nearly_all),
        cmocka_unit_test(a_plan_that_grows_has_no_share_done_and_no_time_left),
        cmocka_unit_test(what_is_known_is_in_the_run_at_each_save),
        cmocka_unit_test(saves_that_take_long_are_made_less_often),
        cmocka_unit_test(cases_of_too_few_rounds_are_no_good_numbers_on_the_way),
        cmocka_unit_test(time_that_runs_out_before_five_rounds_makes_cases_suspect),
        cmocka_unit_test(time_to_compile_does_not_count),
        cmocka_unit_test(noisy_cases_get_more_rounds_while_time_lasts),
        cmocka_unit_test(cases_of_quick_that_repeat_end_after_three_rounds),
        cmocka_unit_test(cases_that_time_never_reaches_are_skipped),
        cmocka_unit_test(a_plan_longer_than_a_block_is_visited_whole),
        cmocka_unit_test(a_failing_case_is_visited_no_more),
        cmocka_unit_test(flagged_visits_are_made_again_while_time_lasts),
        cmocka_unit_test(visits_that_are_all_flagged_make_the_case_suspect),
        cmocka_unit_test(other_work_after_the_last_watch_of_a_case_does_not_concern_it),
        cmocka_unit_test(the_programs_of_a_block_are_compiled_before_its_first_visit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
