// SPDX-License-Identifier: MIT
// Every way of launching measured and verified on the device that is there, and the proof itself
// put to the test: data or counts that are not what they should be give MISMATCH, no number.
#include "bench/launch/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

extern const struct benchmark bench_launch;

struct fixture {
    struct workbench bench;
    struct launch_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_launch))
        return -1;
    f->own = f->bench.session.state;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

// values[3] counts where it has a key.
static bool visit(struct fixture *f, struct case_value values[4], void **memory, unsigned round,
                  struct error *err)
{
    struct arena *arena = arena_create();
    const struct bench_case this_case = {values, values[3].key ? 4 : 3};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = UINT64_C(20000000000), .round = round};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_launch.visit(&run, seen, err);
    for (size_t i = 0; done && i < seen->metrics[0].count; i++)
        assert_true(isfinite(seen->metrics[0].values[i]) && seen->metrics[0].values[i] > 0);
    for (size_t i = 0; done && i < seen->metrics[2].count; i++)
        assert_true(seen->metrics[2].values[i] > 0);
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

static void empty_case(struct case_value values[4], const char *between, const char *mode)
{
    values[0] = (struct case_value){.key = "work", .type = PARAM_TEXT, .text = "empty"};
    values[1] = (struct case_value){.key = "between", .type = PARAM_TEXT, .text = between};
    values[2] = (struct case_value){.key = "mode", .type = PARAM_TEXT, .text = mode};
    values[3] = (struct case_value){.key = NULL};
}

static void scale_case(struct case_value values[4], const char *mode, uint64_t elements)
{
    values[0] = (struct case_value){.key = "work", .type = PARAM_TEXT, .text = "scale"};
    values[1] = (struct case_value){.key = "mode", .type = PARAM_TEXT, .text = mode};
    values[2] = (struct case_value){.key = "elements", .type = PARAM_UINT, .uint = elements};
    values[3] = (struct case_value){.key = NULL};
}

// Measured and verified twice, or refused because the device has no such thing.
static void expect_done(struct fixture *f, struct case_value values[4], gpu_caps needed)
{
    struct error err;
    void *memory = NULL;
    for (unsigned round = 0; round < 2; round++)
        if (!visit(f, values, &memory, round, &err)) {
            if (err.code != ERROR_UNSUPPORTED || !(needed & ~f->bench.session.info->caps))
                fail_msg("%s %s: %s", values[1].text, values[2].text ? values[2].text : "",
                         err.message);
            return;
        }
    assert_int_equal(needed & ~f->bench.session.info->caps, 0);
}

static void every_empty_kernel_counts_itself(void **state)
{
    static const char *const modes[] = {"batch", "replay", "submit", "round-trip"};
    static const char *const betweens[] = {"nothing", "execution", "memory",
                                           "buffer",  "full",      "split"};
    struct case_value values[4];
    for (int i = 0; i < 4; i++) {
        empty_case(values, "order", modes[i]);
        expect_done(*state, values, i == 1 ? GPU_CAP(REPLAY) : 0);
    }
    for (int i = 0; i < 6; i++) {
        empty_case(values, betweens[i], "batch");
        expect_done(*state, values, GPU_CAP(UNORDERED) | (i == 5 ? GPU_CAP(SPLITS) : 0));
    }
}

static void kernels_on_several_queues_and_behind_signals_all_run(void **state)
{
    struct fixture *f = *state;
    struct case_value values[4];
    struct error err;
    void *memory = NULL;
    unsigned most = launch_queue_count(f->bench.session.info);
    for (unsigned queues = 1; queues <= most; queues++)
        for (int i = queues < 2; i < 2; i++) {
            empty_case(values, "order", i ? "signal" : "queues");
            values[3] = (struct case_value){.key = "queues", .type = PARAM_UINT, .uint = queues};
            expect_done(f, values, 0);
        }
    values[3].uint = most + 1;
    assert_false(visit(f, values, &memory, 0, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

// By clocks that were related: longer than nothing, and there and back no longer than what the host
// saw. A machine whose processors are busy may be late for every question: then it is refused.
static void a_kernel_begins_after_its_submission_and_before_the_host_knows_it_done(void **state)
{
    struct fixture *f = *state;
    struct case_value values[4];
    struct error err;
    void *memory = NULL;
    empty_case(values, "order", "one-way");
    if (!visit(f, values, &memory, 0, &err)) {
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
        skip();
    }
}

static void every_element_is_scaled_as_often_as_there_were_kernels(void **state)
{
    static const char *const modes[] = {"batch", "replay", "submit"};
    struct case_value values[4];
    for (int i = 0; i < 3; i++)
        for (uint64_t elements = 1000; elements <= 100000; elements *= 10) {
            scale_case(values, modes[i], elements);
            expect_done(*state, values, i == 1 ? GPU_CAP(REPLAY) : 0);
        }
}

static void run_kernels(struct fixture *f, const unsigned *numbers, size_t count)
{
    const struct launch_case this_case = {.scales = true, .elements = 5000};
    struct gpu_scope *scope = gpu_scope_open(f->bench.session.device);
    struct error err;
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, &err);
    assert_non_null(batch);
    for (size_t i = 0; i < count; i++)
        launch_record(f->own, &this_case, numbers[i], batch);
    assert_true(gpu_batch_end(batch, &err) && gpu_batch_run(batch, UINT64_C(20000000000), &err));
    gpu_scope_close(scope);
}

static bool have_signs(struct fixture *f, float first, float second)
{
    struct error err;
    return launch_check(f->own, 0, 5000, first, &err) &&
           launch_check(f->own, 1, 5000, second, &err);
}

static void a_kernel_that_did_not_run_shows(void **state)
{
    struct fixture *f = *state;
    struct error err;
    assert_true(launch_prepare(f->own, 5000, &err));
    assert_false(have_signs(f, 1, 1) || have_signs(f, 1, -1));
    run_kernels(f, (const unsigned[]){0, 1, 2, 3}, 4);
    assert_true(have_signs(f, 1, 1));
    for (unsigned lost = 0; lost < 4; lost++) {
        unsigned numbers[3];
        for (unsigned i = 0; i < 3; i++)
            numbers[i] = i + (i >= lost);
        assert_true(launch_prepare(f->own, 5000, &err));
        run_kernels(f, numbers, 3);
        assert_false(have_signs(f, 1, 1));
    }
}

static void one_wrong_element_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct error err;
    assert_true(launch_prepare(f->own, 5000, &err));
    assert_true(launch_check(f->own, 0, 5000, 1, &err));
    assert_false(launch_check(f->own, 0, 5000, -1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    float value;
    assert_true(gpu_buffer_read(f->own->ends[0], 39996, &value, sizeof value, &err));
    value += 1e-6f;
    assert_true(gpu_buffer_write(f->own->ends[0], 39996, &value, sizeof value, &err));
    assert_false(launch_check(f->own, 0, 5000, 1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void what_does_not_fit_is_refused(void **state)
{
    struct fixture *f = *state;
    struct error err;
    void *memory = NULL;
    struct case_value values[4];
    scale_case(values, "batch", launch_elements_max(f->bench.session.info) + 1);
    assert_false(visit(f, values, &memory, 0, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_empty_kernel_counts_itself),
        EACH(kernels_on_several_queues_and_behind_signals_all_run),
        EACH(a_kernel_begins_after_its_submission_and_before_the_host_knows_it_done),
        EACH(every_element_is_scaled_as_often_as_there_were_kernels),
        EACH(a_kernel_that_did_not_run_shows),
        EACH(one_wrong_element_is_a_mismatch),
        EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
