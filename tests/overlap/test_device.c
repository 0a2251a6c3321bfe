// SPDX-License-Identifier: MIT
// Frames on the device that is there: order and invariants by the device's own stamps. Tests the
// verification, too: a kernel that computes less than it should, or a clock that runs wrong, gives
// MISMATCH and no number. No length is asserted, because test machines are busy.
#include "bench/overlap/frame.h"
#include "bench/overlap/overlap.h"
#include "gpu/backend.h"
#include "workbench.h"

#include <math.h>
#include <string.h>

extern const struct benchmark bench_overlap;

static const uint64_t timeout_ns = UINT64_C(600000000000);

// If set, the driver refuses a high priority with this text.
static const char *refusal;

struct gpu_device *__real_gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                          const struct gpu_device_desc *desc, struct error *err);
struct gpu_device *__wrap_gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                          const struct gpu_device_desc *desc, struct error *err);

struct gpu_device *__wrap_gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                          const struct gpu_device_desc *desc, struct error *err)
{
    if (!refusal || desc->queues[OVERLAP_COMPUTE].priority != GPU_PRIORITY_HIGH)
        return __real_gpu_device_open(system, info, desc, err);
    error_set(err, ERROR_UNSUPPORTED, "%s", refusal);
    return NULL;
}

// If true, the next buffer that is read has zeros only: the records of a frame are read first.
static bool loses_records;

bool __real_gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                            struct error *err);
bool __wrap_gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                            struct error *err);

bool __wrap_gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                            struct error *err)
{
    bool done = __real_gpu_buffer_read(buffer, offset, data, bytes, err);
    if (loses_records)
        memset(data, 0, bytes);
    loses_records = false;
    return done;
}

struct fixture {
    struct workbench bench;
    struct overlap_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_overlap))
        return -1;
    f->own = f->bench.session.state;
    // The software GPU's clock counts nanoseconds. If other programs run, its measured tick (tested
    // in tests/measure) is wrong by a few per cent.
    if (strstr(f->bench.session.info->name, "llvmpipe"))
        f->own->clock.device_tick_ns = 1;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

// The software GPU reads the halves of a stamp one after the other. If a busy machine stops it
// between them, the stamp may be 2^32 ns off. Such a frame is made again.
static bool run_stage(struct overlap_stage *stage, const struct overlap_frame_desc *desc,
                      struct overlap_frame *frame, struct error *err)
{
    bool ran = overlap_frame_run(stage, desc, frame, err);
    for (int i = 0; i < 10 && !ran && strstr(err->message, "before it began"); i++)
        ran = overlap_frame_run(stage, desc, frame, err);
    return ran;
}

static bool run_barrier(struct fixture *f, const struct overlap_scenario *scenario,
                        uint32_t repeats, enum overlap_barrier barrier, struct overlap_frame *frame,
                        struct error *err)
{
    struct overlap_stage stage = {.scenario = scenario,
                                  .session = f->own,
                                  .scope = f->bench.session.scope,
                                  .arena = f->bench.session.arena,
                                  .repeats = {repeats},
                                  .barrier = barrier,
                                  .timeout_ns = timeout_ns};
    const struct overlap_frame_desc desc = {.which = (UINT32_C(1) << scenario->count) - 1,
                                            .groups = true,
                                            .arena = f->bench.session.arena};
    return overlap_stage_init(&stage, err) && run_stage(&stage, &desc, frame, err);
}

static bool run_frame(struct fixture *f, const struct overlap_scenario *scenario, uint32_t repeats,
                      struct overlap_frame *frame, struct error *err)
{
    return run_barrier(f, scenario, repeats, OVERLAP_BARRIER_MEMORY, frame, err);
}

static void every_workgroup_is_seen_once_and_within_the_frame(void **state)
{
    struct fixture *f = *state;
    for (size_t s = 0; s < overlap_scenario_count; s++) {
        struct overlap_frame frame;
        struct error err;
        if (!run_frame(f, &overlap_scenarios[s], 1, &frame, &err))
            fail_msg("%s: %s", overlap_scenarios[s].name, err.message);
        size_t groups = 0;
        for (size_t w = 0; w < overlap_scenarios[s].count; w++)
            groups += overlap_scenarios[s].workloads[w].draw
                          ? 0
                          : overlap_scenarios[s].workloads[w].blocks * 16;
        assert_true(frame.group_count >= groups); // the device chooses the subgroups of draws
        for (size_t g = 0; g < frame.group_count; g++) {
            assert_true(frame.groups[g].start_ns >= 0);
            assert_true(frame.groups[g].start_ns <= frame.groups[g].end_ns);
            assert_true(frame.groups[g].end_ns <= frame.length_ns);
        }
    }
}

static void what_waits_begins_after_what_it_waits_for(void **state)
{
    struct fixture *f = *state;
    const struct overlap_scenario *scenario = overlap_scenario_find("default");
    for (int i = 0; i < 8; i++) {
        struct overlap_frame frame;
        struct error err;
        if (!run_frame(f, scenario, 1, &frame, &err))
            fail_msg("%s", err.message);
        double resolution = 3 * f->own->clock.device_step_ns;
        for (size_t w = 0; w < scenario->count; w++)
            for (size_t p = 0; p < w; p++)
                if (scenario->workloads[w].after >> p & 1)
                    assert_true(frame.start_ns[w] >= frame.end_ns[p] - resolution);
    }
}

// Each frame checks the order of its stamps, and words that are right only behind a barrier.
static void every_kind_of_barrier_holds_in_both_places(void **state)
{
    struct fixture *f = *state;
    for (int barrier = 0; barrier < OVERLAP_BARRIER_NONE; barrier++)
        for (int late = 0; late < 2; late++)
            for (size_t s = 0; s < overlap_scenario_count; s++) {
                struct overlap_stage stage = {.scenario = &overlap_scenarios[s],
                                              .session = f->own,
                                              .scope = f->bench.session.scope,
                                              .arena = f->bench.session.arena,
                                              .repeats = {1},
                                              .barrier = (enum overlap_barrier)barrier,
                                              .barrier_first = late,
                                              .timeout_ns = timeout_ns};
                const struct overlap_frame_desc desc = {
                    .which = (UINT32_C(1) << stage.scenario->count) - 1};
                struct overlap_frame frame;
                struct error err;
                if (!overlap_stage_init(&stage, &err) || !run_stage(&stage, &desc, &frame, &err))
                    fail_msg("%s, barrier %u: %s", stage.scenario->name, stage.barrier,
                             err.message);
            }
}

static void draws_are_drawn_where_the_device_can(void **state)
{
    struct fixture *f = *state;
    bool can = f->bench.session.info->caps & GPU_CAP(GRAPHICS);
    const struct overlap_scenario *settled = overlap_scenario_settle(
        f->bench.session.arena, f->own, OVERLAP_BARRIER_MEMORY, overlap_scenario_find("draws"));
    assert_int_equal(settled->workloads[0].draw, can);
    assert_int_equal(overlap_scenario_waits_for_draw(settled), can);
    // A draw on a queue without graphics is a dispatch.
    static const struct overlap_workload aside[] = {{"a", OVERLAP_COMPUTE, true, 1, 1, 0}};
    const struct overlap_scenario scenario = {"aside", "", aside, 1, false, false, false};
    settled =
        overlap_scenario_settle(f->bench.session.arena, f->own, OVERLAP_BARRIER_MEMORY, &scenario);
    assert_int_equal(settled->workloads[0].draw, can && !f->own->queues[OVERLAP_COMPUTE]);
}

static void without_barriers_no_workload_waits(void **state)
{
    struct fixture *f = *state;
    for (enum overlap_barrier b = OVERLAP_BARRIER_MEMORY; b <= OVERLAP_BARRIER_NONE; b++)
        assert_int_equal(overlap_scenario_waits(overlap_scenario_settle(
                             f->bench.session.arena, f->own, b, overlap_scenario_find("default"))),
                         b != OVERLAP_BARRIER_NONE);
}

// If a row of pixels is alone, half of each quad lies outside.
static void draws_of_every_height_are_whole(void **state)
{
    struct fixture *f = *state;
    for (uint32_t blocks = 1; blocks <= 5; blocks++) {
        const struct overlap_workload workloads[] = {{"a", OVERLAP_DIRECT, true, blocks, 2, 0},
                                                     {"b", OVERLAP_DIRECT, false, 1, 2, 1}};
        const struct overlap_scenario scenario = {"heights", "", workloads, 2, false, false, false};
        struct overlap_frame frame;
        struct error err;
        if (!run_frame(f, &scenario, 1, &frame, &err))
            fail_msg("%u rows: %s", blocks, err.message);
    }
}

static void without_a_second_queue_none_is_urgent(void **state)
{
    struct fixture *f = *state;
    struct error err;
    if (f->own->queues[OVERLAP_COMPUTE])
        skip();
    assert_null(overlap_session_urgent(&f->bench.session, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

static void with_two_queues_the_compute_queue_is_urgent_or_it_is_said_why_not(void **state)
{
    struct fixture *f = *state;
    struct overlap_frame frame;
    struct error err;
    if (!f->own->queues[OVERLAP_COMPUTE] || !(f->bench.session.info->caps & GPU_CAP(PRIORITY)))
        skip();
    struct overlap_session *urgent = overlap_session_urgent(&f->bench.session, &err);
    assert_non_null(urgent);
    assert_non_null(urgent->priority_text);
    assert_ptr_equal(overlap_session_urgent(&f->bench.session, &err), urgent);
    f->own = urgent;
    struct gpu_scope *scope = f->bench.session.scope;
    f->bench.session.scope = urgent->scope;
    bool done = run_frame(f, overlap_scenario_find("high-priority"), 1, &frame, &err);
    f->bench.session.scope = scope;
    if (!done)
        fail_msg("%s", err.message);
}

static void with_one_queue_the_software_gpu_overlaps_no_dispatches(void **state)
{
    struct fixture *f = *state;
    const struct overlap_scenario *scenario = overlap_scenario_find("no-barriers");
    struct overlap_frame frame;
    struct error err;
    if (!strstr(f->bench.session.info->name, "llvmpipe"))
        skip();
    assert_null(f->own->queues[OVERLAP_COMPUTE]);
    if (!run_frame(f, scenario, 1, &frame, &err))
        fail_msg("%s", err.message);
    // Draws are deferred until something needs them, and are then rasterised by other threads.
    size_t last = 0;
    for (size_t w = 1; w < scenario->count; w++)
        if (!scenario->workloads[w].draw) {
            assert_true(frame.start_ns[w] >= frame.end_ns[last]);
            last = w;
        }
}

static void a_kernel_that_computes_less_is_a_mismatch(void **state)
{
    // llvmpipe silently ends a loop after 65535 iterations.
    static const struct overlap_workload workload = {"too long", OVERLAP_DIRECT, false, 1, 64, 0};
    static const struct overlap_scenario scenario = {
        .name = "one", .help = "", .workloads = &workload, .count = 1};
    struct fixture *f = *state;
    struct overlap_frame frame;
    struct error err;
    uint64_t loops = f->bench.session.info->limits.loop_iterations;
    if (!loops)
        skip();
    assert_true(run_frame(f, &scenario, (uint32_t)(loops / 64 / 2), &frame, &err));
    assert_false(run_frame(f, &scenario, (uint32_t)(loops / 64 + 64), &frame, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "too long: thread"));
}

static void a_frame_without_records_is_a_mismatch(void **state)
{
    struct overlap_frame frame;
    struct error err;
    loses_records = true;
    assert_false(run_frame(*state, overlap_scenario_find("three"), 1, &frame, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "left no record of this frame"));
}

static void a_clock_that_runs_too_fast_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct overlap_frame frame;
    struct error err;
    f->own->clock.device_tick_ns *= 1000;
    assert_false(run_frame(f, overlap_scenario_find("three"), 1, &frame, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

// The host polls on cores that the software GPU needs, too. It is late, and records how late.
static void check_markers(struct fixture *f, const struct overlap_scenario *scenario)
{
    struct overlap_stage stage = {.scenario = scenario,
                                  .session = f->own,
                                  .scope = f->bench.session.scope,
                                  .arena = f->bench.session.arena,
                                  .repeats = {1, 1},
                                  .barrier = OVERLAP_BARRIER_MEMORY,
                                  .timeout_ns = timeout_ns};
    const struct overlap_frame_desc desc = {.which = (UINT32_C(1) << scenario->count) - 1,
                                            .marked = true};
    struct error err;
    assert_true(overlap_stage_init(&stage, &err));
    for (int i = 0; i < OVERLAP_WORKLOADS_MAX * OVERLAP_MARK_COUNT; i++)
        assert_int_equal(stage.markers.map[i * OVERLAP_MARKER_WORDS], 0); // cleared before use
    for (int i = 0; i < 3; i++) {
        struct overlap_frame frame;
        if (!run_stage(&stage, &desc, &frame, &err))
            fail_msg("%s: %s", scenario->name, err.message);
        struct overlap_agreement found = overlap_markers_agree(&stage, &frame);
        assert_int_equal(found.markers, 2 * scenario->count);
        assert_int_equal(found.seen, found.markers);
        assert_int_equal(found.agreed, found.markers);
        assert_false(found.early);
    }
}

static void stamps_and_what_the_host_saw_agree_of_dispatches_and_draws(void **state)
{
    struct fixture *f = *state;
    check_markers(f, overlap_scenario_find("three"));
    check_markers(f, overlap_scenario_find("draws"));
}

static void cores_agree_on_the_clock_or_it_is_known_how_far_not(void **state)
{
    struct fixture *f = *state;
    const struct overlap_skew *skew = &f->own->skew;
    assert_true(skew->seen > 0);
    assert_true(skew->reach_ns >= 0);
    assert_true(f->own->resolution_ns >= skew->behind_ns);
    assert_true(f->own->resolution_ns >= 3 * f->own->clock.device_step_ns);
}

// Makes the first visit of a case with barriers after the workloads that are waited for.
static const struct measure_visit *visit_case(struct fixture *f, const char *scenario,
                                              const char *barrier)
{
    f->bench.request.samples = 4;
    if (!workbench_visit(&f->bench, "scenario=%s/barrier=%s/place=after", scenario, barrier))
        fail_msg("%s", f->bench.err.message);
    return f->bench.seen;
}

static bool reasons(const struct measure_visit *visit, const char *code)
{
    for (size_t i = 0; i < visit->reason_count; i++)
        if (strcmp(visit->reasons[i].code, code) == 0)
            return true;
    return false;
}

static void a_case_whose_priority_is_refused_is_suspect(void **state)
{
    struct fixture *f = *state;
    // Given a device with priorities and a second queue, and a driver that grants no high priority
    const struct gpu_info *real = f->bench.session.info;
    struct gpu_info info = *real;
    info.caps |= GPU_CAP(PRIORITY);
    info.families[0] = (struct gpu_queue_family){.kind = GPU_QUEUE_COMPUTE, .count = 1};
    f->bench.session.info = &info;
    refusal = "not permitted";
    // When a scenario that wants it is visited, then its result says that it was refused
    const struct measure_visit *visit = visit_case(f, "high-priority", "memory");
    assert_true(reasons(visit, "priority-refused"));
    assert_non_null(strstr(visit->reasons[visit->reason_count - 1].text, "not permitted"));
    // and the result of a scenario that does not want it says nothing
    visit = visit_case(f, "default", "memory");
    assert_false(reasons(visit, "priority-refused"));
    refusal = NULL;
    f->bench.session.info = real;
}

// Given a scenario of high priority whose device holds a stable clock, when a scenario without both
// is visited, then that device no longer holds the clock.
static void a_clock_that_another_priority_held_is_free_again(void **state)
{
    struct fixture *f = *state;
    // If a device hung, only this flag changes; no driver is called.
    struct gpu_device device = {.clock_held = true, .hung = true};
    struct overlap_session urgent = {.own.device = &device};
    f->own->urgent = &urgent;
    visit_case(f, "default", "memory");
    f->own->urgent = NULL;
    assert_false(device.clock_held);
}

static void a_visit_brings_metrics_and_series_that_fit_the_queues(void **state)
{
    struct fixture *f = *state;
    const struct measure_visit *visit = visit_case(f, "default", "execution");
    bool two = f->own->queues[OVERLAP_COMPUTE] != NULL;
    assert_int_equal(visit->metrics[OVERLAP_METRIC_FRAME].count, 16);
    assert_int_equal(visit->metrics[OVERLAP_METRIC_CROSS_QUEUE].count, two ? 16 : 0);
    assert_int_equal(visit->metrics[OVERLAP_METRIC_SAME_QUEUE].count, 0); // all workloads wait
    for (size_t i = 0; i < 16; i++) {
        assert_true(visit->metrics[OVERLAP_METRIC_FRAME].values[i] > 0);
        assert_true(visit->metrics[OVERLAP_METRIC_GAP].values[i] >=
                    -3 * f->own->clock.device_step_ns);
    }
    assert_int_equal(visit->series_count, 6);
    assert_string_equal(visit->series[0].name, "timeline");
    assert_int_equal(visit->series[0].row_count, 8);
    assert_string_equal(visit->series[2].name, "edges");
    assert_int_equal(visit->series[2].row_count, 6);
    assert_string_equal(visit->series[3].name, "calibration");
    assert_string_equal(visit->series[4].name, "markers");
    assert_int_equal(visit->series[4].row_count, 8);
    assert_string_equal(visit->series[5].name, "matrix");
    assert_int_equal(visit->series[5].row_count, 28);
    // The last of the direct chain, the first of the other: on one queue if there is no second.
    const double *pair = visit->series[5].data + 14 * visit->series[5].column_count;
    assert_true(pair[0] == 4 && pair[1] == 5);
    assert_string_equal(visit->series[5].columns[6], "queue_shared");
    assert_int_equal((int)pair[6], !two);
}

static void each_workload_has_its_size(void **state)
{
    struct fixture *f = *state;
    // Given a scenario of two workloads of different sizes
    struct bench_case small =
        workbench_case(&f->bench, "scenario=default/barrier=memory/place=after");
    small.values[0].text = "{\"workloads\": [{\"name\": \"A\", \"groups\": 4},"
                           "{\"name\": \"B\", \"groups\": 2}]}";
    f->bench.request.samples = 4;
    // When it is visited, then the details say how large each one is
    if (!workbench_visit_case(&f->bench, &small))
        fail_msg("%s", f->bench.err.message);
    static const char *const wanted[] = {"A, on the direct queue, alone ",
                                         "B, on the direct queue"};
    size_t seen = 0;
    for (size_t i = 0; i < f->bench.seen->detail_count; i++) {
        const struct named_text *detail = &f->bench.seen->details[i];
        assert_null(strstr(detail->text, "a workload"));
        if (strncmp(detail->name, "lane ", 5) != 0)
            continue;
        assert_true(seen < 2 && strncmp(detail->text, wanted[seen], strlen(wanted[seen])) == 0);
        assert_non_null(strstr(detail->text, seen == 0 ? ", 4096 threads" : ", 2048 threads"));
        seen++;
    }
    assert_int_equal(seen, 2);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_workgroup_is_seen_once_and_within_the_frame),
        EACH(what_waits_begins_after_what_it_waits_for),
        EACH(every_kind_of_barrier_holds_in_both_places),
        EACH(draws_are_drawn_where_the_device_can),
        EACH(without_barriers_no_workload_waits),
        EACH(draws_of_every_height_are_whole),
        EACH(without_a_second_queue_none_is_urgent),
        EACH(with_two_queues_the_compute_queue_is_urgent_or_it_is_said_why_not),
        EACH(with_one_queue_the_software_gpu_overlaps_no_dispatches),
        EACH(a_kernel_that_computes_less_is_a_mismatch),
        EACH(a_frame_without_records_is_a_mismatch),
        EACH(a_clock_that_runs_too_fast_is_a_mismatch),
        EACH(stamps_and_what_the_host_saw_agree_of_dispatches_and_draws),
        EACH(cores_agree_on_the_clock_or_it_is_known_how_far_not),
        EACH(a_case_whose_priority_is_refused_is_suspect),
        EACH(a_clock_that_another_priority_held_is_free_again),
        EACH(each_workload_has_its_size),
        EACH(a_visit_brings_metrics_and_series_that_fit_the_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
