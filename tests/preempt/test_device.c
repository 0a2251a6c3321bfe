// SPDX-License-Identifier: MIT
// Duels on the device that is there. Lengths are not asserted: machines that test are busy.
#include "bench/preempt/judge.h"
#include "bench/preempt/rig.h"
#include "bench/preempt/size.h"
#include "bench/preempt/visit.h"
#include "workbench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_preempt;

static const uint64_t timeout_ns = UINT64_C(20000000000);

struct fixture {
    struct workbench bench;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_preempt))
        return -1;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

static bool visit_victim(struct fixture *f, const char *hog, const char *setting,
                         const char *priority, bool draw, struct measure_visit *visit,
                         struct error *err)
{
    struct case_value values[] = {
        {.key = "hog", .type = PARAM_TEXT, .text = hog},
        {.key = "setting", .type = PARAM_TEXT, .text = setting},
        {.key = "priority", .type = PARAM_TEXT, .text = priority},
        {.key = "samples", .type = PARAM_UINT, .role = PARAM_METHOD, .uint = 4},
        {.key = "victim", .type = PARAM_TEXT, .text = "draw"}};
    const struct bench_case bench_case = {values, draw ? 5 : 4};
    const struct measure_request request = {.samples = 4, .timeout_ns = timeout_ns};
    void *memory = NULL;
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &bench_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena_create(),
                              .request = &request,
                              .memory = &memory};
    bool done = preempt_visit(&run, visit, err);
    gpu_scope_close(run.scope);
    arena_destroy(run.arena);
    return done;
}

static bool visit_case(struct fixture *f, const char *hog, const char *setting,
                       const char *priority, struct measure_visit *visit, struct error *err)
{
    return visit_victim(f, hog, setting, priority, false, visit, err);
}

static const struct series *series_of(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->series_count; i++)
        if (strcmp(visit->series[i].name, name) == 0)
            return &visit->series[i];
    fail_msg("no series %s", name);
    return NULL;
}

static void each_hog_meets_a_victim_on_a_device_of_its_own(void **state)
{
    static const char *const hogs[] = {"none",         "baseline",    "many-dispatches",
                                       "big-dispatch", "slow-shader", "many-draws"};
    struct fixture *f = *state;
    bool draws = f->bench.session.info->caps & GPU_CAP(GRAPHICS);
    for (size_t i = 0; i < sizeof hogs / sizeof *hogs - !draws; i++) {
        struct arena *arena = arena_create();
        struct measure_visit *visit = measure_visit_create(arena);
        struct error err;
        if (!visit_case(f, hogs[i], "devices", "medium", visit, &err))
            fail_msg("%s: %s", hogs[i], err.message);
        const struct measure_samples *response = &visit->metrics[PREEMPT_METRIC_RESPONSE];
        assert_true(response->count >= 1 && response->count <= 4);
        for (size_t s = 0; s < response->count; s++)
            assert_true(response->values[s] > 0);
        assert_int_equal(visit->metrics[PREEMPT_METRIC_PAUSE].count, i > 0);
        const struct series *entered = series_of(visit, "entered");
        double ways = 0;
        for (size_t c = 0; c < entered->column_count; c++)
            ways += entered->data[c];
        assert_true(ways == (double)response->count);
        assert_true(i > 0 || entered->data[JUDGE_ALONE] == ways);
        arena_destroy(arena);
    }
}

static void a_draw_can_be_the_victim(void **state)
{
    static const char *const hogs[] = {"none", "many-draws", "many-dispatches"};
    struct fixture *f = *state;
    if (!(f->bench.session.info->caps & GPU_CAP(GRAPHICS)))
        skip();
    for (size_t i = 0; i < sizeof hogs / sizeof *hogs; i++) {
        struct arena *arena = arena_create();
        struct measure_visit *visit = measure_visit_create(arena);
        struct error err;
        if (!visit_victim(f, hogs[i], "devices", "medium", true, visit, &err))
            fail_msg("%s: %s", hogs[i], err.message);
        assert_true(visit->metrics[PREEMPT_METRIC_RESPONSE].count >= 1);
        assert_true(visit->metrics[PREEMPT_METRIC_EXEC].values[0] > 0);
        arena_destroy(arena);
    }
}

static void what_is_not_to_be_had_is_skipped_with_its_reason(void **state)
{
    struct fixture *f = *state;
    struct arena *arena = arena_create();
    struct error err;
    if (!(f->bench.session.info->caps & GPU_CAP(GRAPHICS))) {
        assert_false(
            visit_case(f, "many-draws", "devices", "medium", measure_visit_create(arena), &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "graphics"));
        assert_false(
            visit_victim(f, "none", "devices", "medium", true, measure_visit_create(arena), &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
    if (!gpu_device_queue(f->bench.session.device, 1)) {
        assert_false(visit_case(f, "none", "queues", "medium", measure_visit_create(arena), &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
    if (!(f->bench.session.info->caps & GPU_CAP(PRIORITY))) {
        assert_false(
            visit_case(f, "none", "devices", "highest", measure_visit_create(arena), &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
    arena_destroy(arena);
}

// llvmpipe ends the loops of a thread after 65535 turns without a word.
static void a_hog_that_computes_less_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    uint64_t loops = f->bench.session.info->limits.loop_iterations, base = 0;
    struct error err;
    struct load load;
    struct load_run *runs;
    if (!loops)
        skip();
    struct preempt_session *session = f->bench.session.state;
    const struct load_desc desc = {.scope = f->bench.session.scope,
                                   .queue = gpu_device_queue(f->bench.session.device, 0),
                                   .program = session->program,
                                   .shape = {1, 1, (uint32_t)loops + 100, 1, false},
                                   .slots = 1,
                                   .records = 1,
                                   .timeout_ns = timeout_ns};
    assert_true(load_init(&load, &desc, &err));
    load_restart(&load, 77);
    assert_true(load_submit(&load, &err));
    assert_true(load_drain(&load, &err));
    assert_false(load_read(&load, &session->clock, &base, f->bench.session.arena, &runs, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(each_hog_meets_a_victim_on_a_device_of_its_own),
        EACH(a_draw_can_be_the_victim),
        EACH(what_is_not_to_be_had_is_skipped_with_its_reason),
        EACH(a_hog_that_computes_less_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
