// SPDX-License-Identifier: MIT
// How work is cut into submissions, and how polled markers are compared with stamps. No device.
#include "bench/overlap/frame.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct overlap_stage stage_of(const char *scenario, enum overlap_barrier barrier)
{
    struct overlap_stage stage = {.scenario = overlap_scenario_find(scenario), .barrier = barrier};
    assert_non_null(stage.scenario);
    overlap_segments_cut(&stage, (UINT32_C(1) << stage.scenario->count) - 1);
    return stage;
}

static void barriers_leave_one_submission_a_queue(void **state)
{
    (void)state;
    struct overlap_stage stage = stage_of("default", OVERLAP_BARRIER_MEMORY);
    assert_int_equal(stage.segment_count, 2);
    assert_int_equal(stage.segments[0].workloads, 0x1f);
    assert_int_equal(stage.segments[1].workloads, 0xe0);
    assert_int_equal(stage.segments[0].after | stage.segments[1].after, 0);
}

static void semaphores_cut_at_every_dependency(void **state)
{
    (void)state;
    struct overlap_stage stage = stage_of("default", OVERLAP_BARRIER_SEMAPHORE);
    assert_int_equal(stage.segment_count, 8);
    for (size_t s = 0; s < 8; s++) {
        assert_int_equal(stage.segments[s].workloads, 1u << s);
        assert_int_equal(stage.segments[s].after, s == 0 || s == 5 ? 0 : 1u << (s - 1));
    }
}

static void what_nobody_waits_for_does_not_delay_who_waits(void **state)
{
    (void)state;
    // C waits for A, so B begins a submission of its own. Otherwise, C would wait for B, too.
    struct overlap_stage stage = stage_of("three", OVERLAP_BARRIER_SEMAPHORE);
    assert_int_equal(stage.segment_count, 3);
    assert_int_equal(stage.segments[1].workloads, 2);
    assert_int_equal(stage.segments[1].after, 0);
    assert_int_equal(stage.segments[2].after, 1);
}

static void between_queues_there_are_semaphores_whatever_the_barrier(void **state)
{
    (void)state;
    struct overlap_stage stage = stage_of("cross-queue", OVERLAP_BARRIER_MEMORY);
    assert_int_equal(stage.segment_count, 4);
    for (size_t s = 0; s < 4; s++) {
        assert_int_equal(stage.segments[s].queue, s % 2);
        assert_int_equal(stage.segments[s].after, s ? 1u << (s - 1) : 0);
    }
    overlap_segments_cut(&stage, 4); // a workload that runs alone waits for none
    assert_int_equal(stage.segment_count, 1);
    assert_int_equal(stage.segments[0].after, 0);
}

static void of_a_queue_the_newest_stands_for_all_before_it(void **state)
{
    (void)state;
    static const struct overlap_workload workloads[] = {
        {"a", OVERLAP_DIRECT, false, 1, 1, 0},  {"b", OVERLAP_COMPUTE, false, 1, 1, 1},
        {"c", OVERLAP_DIRECT, false, 1, 1, 0},  {"d", OVERLAP_COMPUTE, false, 1, 1, 4},
        {"e", OVERLAP_COMPUTE, false, 1, 1, 5},
    };
    static const struct overlap_scenario scenario = {
        .name = "", .help = "", .workloads = workloads, .count = 5};
    struct overlap_stage stage = {.scenario = &scenario, .barrier = OVERLAP_BARRIER_MEMORY};
    overlap_segments_cut(&stage, 0x1f);
    assert_int_equal(stage.segment_count, 5);
    assert_int_equal(stage.segments[4].after, 1 << 2); // waits for c, which is newer than a
}

// ---------------------------------------------------------------- markers

static struct overlap_markers polled(double late_ns)
{
    // The device's 0 is the host's 5000; a look of the host takes 200.
    struct overlap_markers markers = {.frames = 1};
    markers.polls[0][OVERLAP_MARK_START] = (struct overlap_poll){true, 5100, 4900, 0, 20};
    markers.polls[0][OVERLAP_MARK_END] = (struct overlap_poll){true, 15300, 15100, 10000, 10020};
    markers.polls[1][OVERLAP_MARK_START] = (struct overlap_poll){true, 25200, 25000, 20000, 20020};
    markers.polls[1][OVERLAP_MARK_END] =
        (struct overlap_poll){true, 35200 + late_ns, 35000 + late_ns, 30000, 30020};
    return markers;
}

// Compares the markers with the stamps of two workloads, whose clock has a resolution of 96 ns.
static struct overlap_agreement agreement_of(const struct overlap_markers *markers)
{
    static const struct overlap_scenario two = {.count = 2};
    static const struct overlap_frame frame = {.start_ns = {0, 20000}, .end_ns = {10000, 30000}};
    struct overlap_session session = {.resolution_ns = 96};
    const struct overlap_stage stage = {.scenario = &two, .session = &session, .markers = *markers};
    return overlap_markers_agree(&stage, &frame);
}

static void markers_read_within_one_look_agree(void **state)
{
    (void)state;
    const struct overlap_markers markers = polled(0);
    struct overlap_agreement found = agreement_of(&markers);
    assert_int_equal(found.markers, 4);
    assert_int_equal(found.agreed, 4);
    assert_true(found.offset_high_ns == 5100 && found.sweep_ns == 200);
    assert_true(found.bars_ns == 200);
    assert_false(found.early);
}

static void a_marker_read_too_late_disagrees(void **state)
{
    (void)state;
    const struct overlap_markers markers = polled(10000);
    assert_int_equal(agreement_of(&markers).agreed, 3);
}

// A subgroup begins at 20000. Its core is full, so it writes its marker only at 95000.
static void a_marker_written_late_agrees_when_it_is_read_in_time(void **state)
{
    (void)state;
    struct overlap_markers markers = polled(0);
    struct overlap_poll *held = &markers.polls[1][OVERLAP_MARK_START];
    *held = (struct overlap_poll){true, 100200, 100000, 95000, 95020};
    struct overlap_agreement found = agreement_of(&markers);
    assert_int_equal(found.agreed, 4);
    assert_true(found.held_ns == 75020);
    // … but a marker that the device wrote at the start does not agree.
    held->since_ns = 20000;
    held->until_ns = 20020;
    found = agreement_of(&markers);
    assert_int_equal(found.agreed, 3);
    assert_true(found.held_ns == 20);
}

static void a_marker_written_before_what_it_stands_for_disagrees(void **state)
{
    (void)state;
    struct overlap_markers markers = polled(0);
    markers.polls[1][OVERLAP_MARK_END].since_ns = 30000 - 97;
    assert_int_equal(agreement_of(&markers).agreed, 3);
}

static void a_marker_read_before_the_release_contradicts(void **state)
{
    (void)state;
    struct overlap_markers markers = polled(0);
    markers.polls[1][OVERLAP_MARK_START].seen_ns = 19000; // earlier than its stamp of 20000
    assert_true(agreement_of(&markers).early);
}

static void a_marker_that_was_not_seen_is_counted(void **state)
{
    (void)state;
    struct overlap_markers markers = polled(0);
    markers.polls[1][OVERLAP_MARK_END].seen = false;
    struct overlap_agreement found = agreement_of(&markers);
    assert_true(found.markers == 4 && found.seen == 3 && found.agreed == 3);
}

// Markers become visible only when all is done, so the host sees all of them in one look.
static struct overlap_markers seen_at_the_end(double late_ns)
{
    struct overlap_markers markers = polled(0);
    for (int m = 0; m < 4; m++) {
        markers.polls[m / 2][m % 2].seen_ns = 35200 + late_ns;
        markers.polls[m / 2][m % 2].look_ns = 35000 + late_ns;
    }
    return markers;
}

static void markers_read_only_at_the_end_contradict_or_bound_no_offset(void **state)
{
    (void)state;
    // When that look comes right at the end, then only the last marker agrees
    struct overlap_markers markers = seen_at_the_end(0);
    struct overlap_agreement found = agreement_of(&markers);
    assert_true(found.seen == 4 && found.agreed == 1);
    // When it comes much later, then all markers agree, and the offset is uncertain by the delay
    markers = seen_at_the_end(1e6);
    found = agreement_of(&markers);
    assert_true(found.seen == 4 && found.agreed == 4);
    assert_true(found.offset_high_ns - found.offset_low_ns > 1e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_leave_one_submission_a_queue),
        cmocka_unit_test(semaphores_cut_at_every_dependency),
        cmocka_unit_test(what_nobody_waits_for_does_not_delay_who_waits),
        cmocka_unit_test(between_queues_there_are_semaphores_whatever_the_barrier),
        cmocka_unit_test(of_a_queue_the_newest_stands_for_all_before_it),
        cmocka_unit_test(markers_read_within_one_look_agree),
        cmocka_unit_test(a_marker_read_too_late_disagrees),
        cmocka_unit_test(a_marker_written_late_agrees_when_it_is_read_in_time),
        cmocka_unit_test(a_marker_written_before_what_it_stands_for_disagrees),
        cmocka_unit_test(a_marker_read_before_the_release_contradicts),
        cmocka_unit_test(a_marker_that_was_not_seen_is_counted),
        cmocka_unit_test(markers_read_only_at_the_end_contradict_or_bound_no_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
