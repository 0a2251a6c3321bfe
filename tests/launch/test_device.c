// SPDX-License-Identifier: MIT
// Measures and verifies every way of launching on the device that is there. Tests the verification,
// too: wrong data or counts give MISMATCH and no number.
#include "bench/launch/session.h"
#include "workbench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct benchmark bench_launch;

// Every time in the visit is above 0.
static void assert_times(const struct workbench *bench)
{
    workbench_samples(bench, 0);
    if (bench->seen->metrics[2].count > 0)
        workbench_samples(bench, 2);
}

static void expect_done(struct workbench *bench, gpu_caps needed, const char *wanted)
{
    if (workbench_expect(bench, needed, "%s", wanted))
        assert_times(bench);
}

static void every_empty_kernel_counts_itself(void **state)
{
    static const char *const betweens[] = {"nothing", "execution", "memory", "buffer", "full"};
    expect_done(*state, 0, "work=empty/between=order/mode=batch");
    expect_done(*state, GPU_CAP(REPLAY), "work=empty/between=order/mode=replay");
    expect_done(*state, 0, "work=empty/between=order/mode=submit");
    expect_done(*state, 0, "work=empty/between=order/mode=round-trip");
    for (size_t i = 0; i < sizeof betweens / sizeof *betweens; i++)
        if (workbench_expect(*state, GPU_CAP(UNORDERED), "work=empty/between=%s/mode=batch",
                             betweens[i]))
            assert_times(*state);
    expect_done(*state, GPU_CAP(UNORDERED) | GPU_CAP(SPLITS),
                "work=empty/between=split/mode=batch");
}

static struct launch_session *session_of(void **state)
{
    const struct workbench *bench = *state;
    return bench->session.state;
}

// The detail names the kernels of all queues. They ran in each sample and in two runs before.
static void assert_every_kernel_is_named(void **state)
{
    const struct workbench *bench = *state;
    const struct measure_visit *seen = bench->seen;
    unsigned long named = 0;
    uint32_t ran = 0;
    struct error err;
    for (size_t i = 0; i < seen->detail_count; i++)
        if (strcmp(seen->details[i].name, "kernels") == 0)
            named = strtoul(seen->details[i].text, NULL, 10);
    assert_true(launch_count(&session_of(state)->wide->session, &ran, &err));
    assert_int_equal(ran, (2 + bench->request.samples) * named);
}

static void kernels_on_several_queues_and_behind_signals_all_run(void **state)
{
    struct workbench *bench = *state;
    static const char wanted[] = "work=empty/between=order/mode=%s/queues=%u";
    unsigned most = launch_queue_count(bench->session.info);
    for (unsigned queues = 1; queues <= most; queues++) {
        if (queues > 1 && workbench_expect(bench, 0, wanted, "queues", queues)) {
            assert_times(bench);
            assert_every_kernel_is_named(state);
        }
        if (workbench_expect(bench, 0, wanted, "signal", queues))
            assert_times(bench);
    }
    workbench_refuse(bench, ERROR_UNSUPPORTED, wanted, "signal", most + 1);
}

// The clocks are related. A kernel begins after its submission, and both ways take no longer than
// the host saw. If busy processors make every answer late, the case is refused.
static void a_kernel_begins_after_its_submission_and_before_the_host_knows_it_done(void **state)
{
    struct workbench *bench = *state;
    if (!workbench_visit(bench, "work=empty/between=order/mode=one-way")) {
        assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
        skip();
    }
    assert_times(bench);
}

static void every_element_is_scaled_as_often_as_there_were_kernels(void **state)
{
    static const char *const modes[] = {"batch", "replay", "submit"};
    for (int i = 0; i < 3; i++)
        for (unsigned elements = 1000; elements <= 100000; elements *= 10)
            if (workbench_expect(*state, i == 1 ? GPU_CAP(REPLAY) : 0,
                                 "work=scale/mode=%s/elements=%u", modes[i], elements))
                assert_times(*state);
}

static void run_kernels(struct launch_session *own, const unsigned *numbers, size_t count)
{
    const struct launch_case this_case = {.elements = 5000};
    struct gpu_scope *scope = gpu_scope_open(own->bench->device);
    struct error err;
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, &err);
    assert_non_null(batch);
    for (size_t i = 0; i < count; i++)
        launch_record(own, &this_case, numbers[i], batch);
    assert_true(gpu_batch_end(batch, &err) && gpu_batch_run(batch, UINT64_C(20000000000), &err));
    gpu_scope_close(scope);
}

static bool have_signs(struct launch_session *own, float first, float second)
{
    struct error err;
    return launch_check(own, 0, 5000, first, &err) && launch_check(own, 1, 5000, second, &err);
}

static void a_kernel_that_did_not_run_shows(void **state)
{
    struct launch_session *own = session_of(state);
    struct error err;
    assert_true(launch_prepare(own, 5000, &err));
    assert_false(have_signs(own, 1, 1) || have_signs(own, 1, -1));
    run_kernels(own, (const unsigned[]){0, 1, 2, 3}, 4);
    assert_true(have_signs(own, 1, 1));
    for (unsigned lost = 0; lost < 4; lost++) {
        unsigned numbers[3];
        for (unsigned i = 0; i < 3; i++)
            numbers[i] = i + (i >= lost);
        assert_true(launch_prepare(own, 5000, &err));
        run_kernels(own, numbers, 3);
        assert_false(have_signs(own, 1, 1));
    }
}

static const struct gpu_backend *whole; // the backend that loses no kernel

static bool lose_second(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                        struct error *err)
{
    return batch->commands == 1 || whole->batch_dispatch(batch, dispatch, err);
}

// Given a driver that loses the second kernel of each row, then the data are wrong, although a
// visit has an even number of rows.
static void a_kernel_that_every_row_loses_shows(void **state)
{
    struct workbench *bench = *state;
    struct gpu_device *device = bench->session.device;
    whole = device->backend;
    struct gpu_backend lossy = *whole;
    lossy.batch_dispatch = lose_second;
    bench->request.sample_ns = 1000000;
    device->backend = &lossy;
    bool done = workbench_visit(bench, "work=scale/mode=batch/elements=1000");
    device->backend = whole;
    assert_false(done);
    assert_int_equal(bench->err.code, ERROR_MISMATCH);
}

// All factors of a row together are near 1, so that the values of a visit stay in range.
static void the_factors_of_a_row_stay_near_one(void **state)
{
    (void)state;
    double product = 1, most = 1, least = 1;
    for (uint64_t number = 0; number < 4096; number++) {
        product *= fabs((double)launch_factor(number));
        most = fmax(most, product);
        least = fmin(least, product);
    }
    assert_true(product == 1 && most == 8 && least == 1);
}

static void one_wrong_element_is_a_mismatch(void **state)
{
    struct launch_session *own = session_of(state);
    struct error err;
    assert_true(launch_prepare(own, 5000, &err));
    assert_true(launch_check(own, 0, 5000, 1, &err));
    assert_false(launch_check(own, 0, 5000, -1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    float value;
    assert_true(gpu_buffer_read(own->ends[0], 39996, &value, sizeof value, &err));
    value += 1e-6f;
    assert_true(gpu_buffer_write(own->ends[0], 39996, &value, sizeof value, &err));
    assert_false(launch_check(own, 0, 5000, 1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void what_does_not_fit_is_refused(void **state)
{
    const struct workbench *bench = *state;
    workbench_refuse(*state, ERROR_UNSUPPORTED, "work=scale/mode=batch/elements=%" PRIu64,
                     launch_elements_max(bench->session.info) + 1);
}

// Given a device that says that all is done but runs nothing, then correct data are not taken for
// proven.
static void a_check_that_does_not_run_proves_nothing(void **state)
{
    struct launch_session *own = session_of(state);
    struct gpu_device *device = own->bench->device;
    const struct gpu_backend *really = device->backend;
    struct gpu_backend idle = workbench_idle(device);
    struct error err = {0};
    assert_true(launch_prepare(own, 5000, &err) && launch_check(own, 0, 5000, 1, &err));
    device->backend = &idle;
    bool proven = launch_check(own, 0, 5000, 1, &err);
    device->backend = really;
    assert_false(proven);
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static bool stand_still(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    (void)batch, (void)span, (void)err;
    *ns = 0;
    return true;
}

static void a_clock_that_stands_still_gives_no_time(void **state)
{
    struct workbench *bench = *state;
    struct gpu_device *device = bench->session.device;
    const struct gpu_backend *really = device->backend;
    struct gpu_backend still = *really;
    still.batch_span_ns = stand_still;
    device->backend = &still;
    const bool split = bench->session.info->caps & GPU_CAP(SPLITS); // at most 64 kernels in a batch
    bool done = split && workbench_visit(bench, "work=empty/between=split/mode=batch");
    device->backend = really;
    if (!split)
        skip();
    assert_true(done);
    for (size_t i = 0; i < bench->seen->metrics[0].count; i++)
        assert_true(!isfinite(bench->seen->metrics[0].values[i]));
}

// Given time stamps that the clock of the session contradicts, then only the times that they gave
// are suspect.
static void times_from_time_stamps_of_a_wrong_unit_are_suspect(void **state)
{
    struct workbench *bench = *state;
    bench->session.clock.stamps_off = 0.6;
    assert_true(workbench_visit(bench, "work=empty/between=order/mode=batch"));
    assert_int_equal(bench->seen->reason_count, 1);
    assert_string_equal(bench->seen->reasons[0].code, "clocks-disagree");
    assert_true(workbench_visit(bench, "work=empty/between=order/mode=submit"));
    assert_int_equal(bench->seen->reason_count, 0);
}

#define EACH(test) WORKBENCH_TEST(bench_launch, test)

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
        EACH(a_kernel_that_every_row_loses_shows),
        cmocka_unit_test(the_factors_of_a_row_stay_near_one),
        EACH(one_wrong_element_is_a_mismatch),
        EACH(what_does_not_fit_is_refused),
        EACH(a_check_that_does_not_run_proves_nothing),
        EACH(a_clock_that_stands_still_gives_no_time),
        EACH(times_from_time_stamps_of_a_wrong_unit_are_suspect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
