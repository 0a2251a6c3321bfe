// SPDX-License-Identifier: MIT
// Visits on the device that is there. No length is asserted, because test machines are busy.
#include "bench/preempt/judge.h"
#include "bench/preempt/session.h"
#include "workbench.h"

#include <string.h>

extern const struct benchmark bench_preempt;

static int open_session(void **state)
{
    if (workbench_setup(state) != 0)
        return -1;
    ((struct workbench *)*state)->request.samples = 4;
    return 0;
}

static const struct series *series_of(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->series_count; i++)
        if (strcmp(visit->series[i].name, name) == 0)
            return &visit->series[i];
    fail_msg("no series %s", name);
    return NULL;
}

// Makes one visit. The victim has a device of its own beside the hog; both have medium priority.
static void expect_done(struct workbench *bench, const char *hog, const char *victim)
{
    const char *key = "hog=%s/setting=devices/priority=medium/samples=4%s";
    bool done = workbench_visit(bench, key, hog, victim);
    // A busy machine may stop the software GPU between the halves of a stamp, which is then 2^32 ns
    // off. Such a visit is made again.
    for (int i = 0; i < 10 && !done && strstr(bench->err.message, "before it began"); i++)
        done = workbench_visit(bench, key, hog, victim);
    if (!done)
        fail_msg("%s: %s", hog, bench->err.message);
    const struct measure_samples *response = workbench_samples(bench, PREEMPT_METRIC_RESPONSE);
    assert_in_range(response->count, 1, 4);
}

static void each_hog_meets_a_victim_on_a_device_of_its_own(void **state)
{
    static const char *const hogs[] = {"none",         "baseline",    "many-dispatches",
                                       "big-dispatch", "slow-shader", "many-draws"};
    struct workbench *bench = *state;
    bool draws = bench->session.info->caps & GPU_CAP(GRAPHICS);
    for (size_t i = 0; i < sizeof hogs / sizeof *hogs - !draws; i++) {
        expect_done(bench, hogs[i], "");
        assert_int_equal(bench->seen->metrics[PREEMPT_METRIC_PAUSE].count, i > 0);
        const struct series *entered = series_of(bench->seen, "entered");
        double ways = 0;
        for (size_t c = 0; c < entered->column_count; c++)
            ways += entered->data[c];
        assert_true(ways == (double)bench->seen->metrics[PREEMPT_METRIC_EXEC].count);
        assert_true(i > 0 || entered->data[JUDGE_ALONE] == ways);
    }
}

// Beside one hog, first deadlines that wait for no answer, and then deadlines that wait.
static void deadlines_are_dropped_only_where_the_case_says_so(void **state)
{
    struct workbench *bench = *state;
    expect_done(bench, "slow-shader", "");
    assert_int_equal(bench->seen->metrics[PREEMPT_METRIC_RESPONSE].count, 4);
    expect_done(bench, "slow-shader", "/arrivals=closed");
    assert_int_equal(series_of(bench->seen, "quantiles")->data[4],
                     bench->seen->metrics[PREEMPT_METRIC_RESPONSE].count);
}

static void a_draw_can_be_the_victim(void **state)
{
    static const char *const hogs[] = {"none", "many-draws", "many-dispatches"};
    struct workbench *bench = *state;
    if (!(bench->session.info->caps & GPU_CAP(GRAPHICS)))
        skip();
    for (size_t i = 0; i < sizeof hogs / sizeof *hogs; i++)
        expect_done(bench, hogs[i], "/victim=draw");
}

static size_t spans_in(const struct series *timeline, double lane)
{
    size_t count = 0;
    for (size_t row = 0; row < timeline->row_count; row++)
        count += timeline->data[row * timeline->column_count + 2] == lane;
    return count;
}

static const char *detail_of(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->detail_count; i++)
        if (strcmp(visit->details[i].name, name) == 0)
            return visit->details[i].text;
    return "";
}

static void application_and_compositor_each_have_deadlines(void **state)
{
    static const enum preempt_metric once[] = {
        PREEMPT_METRIC_FRAMES,     PREEMPT_METRIC_LATENESS,     PREEMPT_METRIC_LATENESS_P99,
        PREEMPT_METRIC_APP_FRAMES, PREEMPT_METRIC_APP_LATENESS, PREEMPT_METRIC_APP_LATENESS_P99,
        PREEMPT_METRIC_MISSES,     PREEMPT_METRIC_APP_MISSES};
    static const char *const hogs[] = {"none", "big-dispatch"};
    struct workbench *bench = *state;
    for (size_t h = 0; h < sizeof hogs / sizeof *hogs; h++) {
        if (!(bench->session.info->caps & GPU_CAP(CONTEXTS)))
            skip();
        expect_done(bench, hogs[h], "/actors=three/frame_ms=2");
        const struct measure_visit *visit = bench->seen;
        for (size_t m = 0; m < sizeof once / sizeof *once; m++)
            assert_int_equal(visit->metrics[once[m]].count, 1);
        assert_int_equal(visit->metrics[PREEMPT_METRIC_RESPONSE].count, 4);
        assert_true(visit->metrics[PREEMPT_METRIC_FRAMES].values[0] <= 90);
        assert_true(visit->metrics[PREEMPT_METRIC_APP_FRAMES].values[0] <= 90);
        // Frames are as long as the case says, and each actor has a lane of its own.
        assert_non_null(strstr(detail_of(visit, "application"), "8 dispatches"));
        assert_string_equal(detail_of(visit, "lane 0"), "compositor");
        assert_string_equal(detail_of(visit, "lane 2"), "application");
        const struct series *timeline = series_of(visit, "timeline");
        assert_true(spans_in(timeline, 0) > 0);
        assert_int_equal(spans_in(timeline, 1) > 0, h == 1);
    }
    // Without an application, these metrics have no samples.
    expect_done(bench, "none", "");
    assert_int_equal(bench->seen->metrics[PREEMPT_METRIC_FRAMES].count, 0);
    assert_int_equal(bench->seen->metrics[PREEMPT_METRIC_APP_FRAMES].count, 0);
}

static struct load_work frames_of(struct workbench *bench, unsigned ms)
{
    const struct preempt_session *session = bench->session.state;
    const struct bench_case c = workbench_case(
        bench, "hog=none/setting=devices/priority=medium/actors=three/samples=4/frame_ms=%u", ms);
    struct bench_visit run = {.session = &bench->session,
                              .bench_case = &c,
                              .arena = bench->session.arena,
                              .request = &bench->request};
    const struct load_desc where = {.scope = bench->session.scope,
                                    .queue = gpu_device_queue(bench->session.device, 0),
                                    .program = session->program,
                                    .timeout_ns = bench->request.timeout_ns};
    struct load_work work = {0};
    bool done = false;
    for (int i = 0; i < 10 && !done; i++) // for the same reason as in expect_done
        done = preempt_size_find(&run, &where, PREEMPT_APPLICATION, &work, &bench->err);
    if (!done)
        fail_msg("%u ms: %s", ms, bench->err.message);
    return work;
}

// Given a session that sized the frames of an application, when a case asks for frames of another
// length, then these are sized, too: `fathom serve` measures all its cases in one session.
static void frames_of_another_length_have_another_size(void **state)
{
    struct workbench *bench = *state;
    const struct load_work brief = frames_of(bench, 1), lasting = frames_of(bench, 100);
    assert_true(lasting.groups > brief.groups);
    assert_int_equal(frames_of(bench, 1).groups, brief.groups);
}

// The device lacks what CUDA lacks, and has only two queues.
static void three_actors_are_skipped_where_the_api_cannot_keep_them_apart(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *real = bench->session.info;
    struct gpu_info info = *real;
    info.caps |= GPU_CAP(PRIORITY);
    info.caps &= ~(GPU_CAP(PRIORITY_GLOBAL) | GPU_CAP(CONTEXTS));
    info.families[0] = (struct gpu_queue_family){.kind = GPU_QUEUE_UNIVERSAL, .count = 2};
    info.family_count = 1;
    bench->session.info = &info;
    workbench_refuse(bench, ERROR_UNSUPPORTED,
                     "hog=none/setting=devices/priority=medium/actors=three/samples=4/frame_ms=2");
    assert_non_null(strstr(bench->err.message, "contexts of their own"));
    workbench_refuse(
        bench, ERROR_UNSUPPORTED,
        "hog=none/setting=processes/priority=highest/actors=three/samples=4/frame_ms=2");
    assert_non_null(strstr(bench->err.message, "priorities among processes"));
    workbench_refuse(bench, ERROR_UNSUPPORTED,
                     "hog=none/setting=queues/priority=medium/actors=three/samples=4/frame_ms=2");
    assert_non_null(strstr(bench->err.message, "2 universal queues"));
    bench->session.info = real;
}

// No further device can be opened here, as if the driver refused each priority above medium.
static void a_compositor_takes_the_highest_priority_that_is_granted(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *real = bench->session.info;
    struct gpu_info info = *real;
    struct preempt_setup_request request = {
        .setting = PREEMPT_PROCESSES, .priority = PREEMPT_HIGHEST, .three = true};
    struct error err;
    info.caps |= GPU_CAP(PRIORITY) | GPU_CAP(PRIORITY_GLOBAL);
    info.families[0].count = 0;
    bench->session.info = &info;
    const struct preempt_setup *setup = preempt_setup_get(&bench->session, &request, &err);
    assert_non_null(setup);
    assert_ptr_equal(setup->victim.device, bench->session.device);
    assert_non_null(strstr(setup->priority_text, "medium: the driver refuses"));
    // Without an application, the case is refused, because it requires the priority.
    request.three = false;
    assert_null(preempt_setup_get(&bench->session, &request, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "highest priority is refused"));
    // Another error is not reported as a refusal, which would skip the case.
    info.api = "none";
    assert_null(preempt_setup_get(&bench->session, &request, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_null(strstr(err.message, "refused"));
    bench->session.info = real;
}

static void what_a_device_lacks_is_skipped_with_its_reason(void **state)
{
    struct workbench *bench = *state;
    if (!(bench->session.info->caps & GPU_CAP(GRAPHICS))) {
        workbench_refuse(bench, ERROR_UNSUPPORTED,
                         "hog=many-draws/setting=devices/priority=medium/samples=4");
        assert_non_null(strstr(bench->err.message, "graphics"));
        workbench_refuse(bench, ERROR_UNSUPPORTED,
                         "hog=none/setting=devices/priority=medium/samples=4/victim=draw");
    }
    if (!gpu_device_queue(bench->session.device, 1))
        workbench_refuse(bench, ERROR_UNSUPPORTED,
                         "hog=none/setting=queues/priority=medium/samples=4");
    if (!(bench->session.info->caps & GPU_CAP(PRIORITY)))
        workbench_refuse(bench, ERROR_UNSUPPORTED,
                         "hog=none/setting=devices/priority=highest/samples=4");
}

// llvmpipe silently ends a loop after 65535 iterations.
static void a_hog_that_computes_less_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    uint64_t loops = bench->session.info->limits.loop_iterations, base = 0;
    struct error err;
    struct load load;
    struct load_run *runs;
    if (!loops)
        skip();
    struct preempt_session *session = bench->session.state;
    const struct load_desc desc = {.scope = bench->session.scope,
                                   .queue = gpu_device_queue(bench->session.device, 0),
                                   .program = session->program,
                                   .work = {1, 1, (uint32_t)loops + 100, 1, false},
                                   .slots = 1,
                                   .records = 1,
                                   .timeout_ns = bench->request.timeout_ns};
    assert_true(load_init(&load, &desc, &err));
    load_restart(&load, 77);
    assert_true(load_submit(&load, &err));
    assert_true(load_drain(&load, &err));
    assert_false(load_read(&load, &bench->session.clock, &base, bench->session.arena, &runs, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

#define EACH(test) WORKBENCH_TEST_SETUP(bench_preempt, test, open_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(each_hog_meets_a_victim_on_a_device_of_its_own),
        EACH(deadlines_are_dropped_only_where_the_case_says_so),
        EACH(a_draw_can_be_the_victim),
        EACH(application_and_compositor_each_have_deadlines),
        EACH(frames_of_another_length_have_another_size),
        EACH(three_actors_are_skipped_where_the_api_cannot_keep_them_apart),
        EACH(a_compositor_takes_the_highest_priority_that_is_granted),
        EACH(what_a_device_lacks_is_skipped_with_its_reason),
        EACH(a_hog_that_computes_less_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
