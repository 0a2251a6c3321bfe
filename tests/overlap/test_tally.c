// SPDX-License-Identifier: MIT
// The metrics of frames made by hand, and whether the built-in scenarios do what their names say.
#include "bench/overlap/tally.h"
#include "math/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct overlap_workload chain[] = {
    {"a", OVERLAP_DIRECT, false, 1, 1, 0},
    {"b", OVERLAP_DIRECT, false, 1, 1, 1},
    {"c", OVERLAP_COMPUTE, false, 1, 1, 0},
};
static const struct overlap_scenario scenario = {
    .name = "chain", .help = "", .workloads = chain, .count = 3};
static const unsigned two_queues[] = {0, 0, 1}, one_queue[] = {0, 0, 0};
static const double alone[] = {100, 100, 100};

// Returns the metrics of a frame whose workloads run on these queues.
static struct overlap_tally tally_on(const struct overlap_scenario *whole, const unsigned *queues,
                                     const double *alone_ns, const struct overlap_frame *frame)
{
    struct overlap_workload workloads[OVERLAP_WORKLOADS_MAX];
    struct overlap_scenario moved = *whole;
    moved.workloads = workloads;
    for (size_t w = 0; w < whole->count; w++) {
        workloads[w] = whole->workloads[w];
        workloads[w].queue = (enum overlap_queue)queues[w];
    }
    return overlap_tally_of(&moved, alone_ns, frame);
}

static void a_bar_within_a_longer_one_overlaps_wholly(void **state)
{
    (void)state;
    const struct overlap_frame frame = {.start_ns = {0, 20, 150}, .end_ns = {100, 60, 200}};
    assert_true(overlap_of(&frame, 0, 1) == 1);
    assert_true(overlap_of(&frame, 1, 0) == 1);
    assert_true(overlap_of(&frame, 0, 2) == 0);
}

static void bars_that_share_half_of_the_shorter_overlap_half(void **state)
{
    (void)state;
    const struct overlap_frame frame = {.start_ns = {0, 80}, .end_ns = {100, 120}};
    assert_true(overlap_of(&frame, 0, 1) == 0.5);
}

static void a_serial_frame_gains_nothing(void **state)
{
    (void)state;
    const struct overlap_frame frame = {
        .start_ns = {0, 110, 210}, .end_ns = {100, 210, 310}, .length_ns = 310};
    struct overlap_tally tally = tally_on(&scenario, two_queues, alone, &frame);
    assert_true(tally.of[OVERLAP_METRIC_GAP] == 10);
    assert_true(tally.of[OVERLAP_METRIC_CROSS_QUEUE] == 0);
    assert_true(tally.of[OVERLAP_METRIC_SKEW] == 210);
    assert_true(fabs(tally.of[OVERLAP_METRIC_STRETCH] - 1) < 1e-12);
    assert_true(tally.of[OVERLAP_METRIC_GAIN] < 1);
}

// Given C that waits for A and B, with B right before C: only if B ends last is the time between B
// and C the barrier alone.
static void a_wait_for_another_predecessor_is_no_gap(void **state)
{
    (void)state;
    static const struct overlap_workload workloads[] = {
        {"a", OVERLAP_COMPUTE, false, 1, 1, 0},
        {"b", OVERLAP_DIRECT, false, 1, 1, 0},
        {"c", OVERLAP_DIRECT, false, 1, 1, 3},
    };
    const struct overlap_scenario fan_in = {.name = "fan-in", .workloads = workloads, .count = 3};
    const unsigned queues[] = {1, 0, 0};
    const struct overlap_frame late = {
        .start_ns = {0, 0, 102e3}, .end_ns = {100e3, 20e3, 200e3}, .length_ns = 200e3};
    assert_true(isnan(tally_on(&fan_in, queues, alone, &late).of[OVERLAP_METRIC_GAP]));
    const struct overlap_frame early = {
        .start_ns = {0, 0, 22e3}, .end_ns = {10e3, 20e3, 120e3}, .length_ns = 120e3};
    assert_true(tally_on(&fan_in, queues, alone, &early).of[OVERLAP_METRIC_GAP] == 2e3);
}

// Given workloads of two queues that take turns in the scenario. None of them waits.
static void neighbours_are_those_of_a_queue_and_not_of_the_scenario(void **state)
{
    (void)state;
    struct overlap_workload workloads[] = {
        {"a", OVERLAP_DIRECT, false, 1, 1, 0},
        {"x", OVERLAP_COMPUTE, false, 1, 1, 0},
        {"b", OVERLAP_DIRECT, false, 1, 1, 0},
        {"y", OVERLAP_COMPUTE, false, 1, 1, 0},
    };
    const struct overlap_scenario turns = {.name = "turns", .workloads = workloads, .count = 4};
    const unsigned queues[] = {0, 1, 0, 1};
    const double lengths[] = {100, 100, 100, 100};
    const struct overlap_frame frame = {
        .start_ns = {0, 0, 50, 25}, .end_ns = {100, 100, 150, 125}, .length_ns = 150};
    struct overlap_tally tally = tally_on(&turns, queues, lengths, &frame);
    assert_true(tally.of[OVERLAP_METRIC_SAME_QUEUE] == 0.625);
    assert_true(isnan(tally.of[OVERLAP_METRIC_GAP]));
    // When each workload waits for the one before it on its queue
    workloads[2].after = 1;
    workloads[3].after = 2;
    const struct overlap_frame waited = {
        .start_ns = {0, 0, 110, 130}, .end_ns = {100, 100, 210, 230}, .length_ns = 230};
    tally = tally_on(&turns, queues, lengths, &waited);
    assert_true(isnan(tally.of[OVERLAP_METRIC_SAME_QUEUE]));
    assert_true(tally.of[OVERLAP_METRIC_GAP] == 20);
}

// Given a workload between, on the queue of the one that waits or of the one that is waited for:
// there is no gap, because the rest of that workload would count.
static void what_stands_between_on_either_queue_leaves_no_gap(void **state)
{
    (void)state;
    static const struct overlap_workload workloads[] = {
        {"a", OVERLAP_DIRECT, false, 1, 1, 0},
        {"b", OVERLAP_COMPUTE, false, 1, 1, 0},
        {"c", OVERLAP_COMPUTE, false, 1, 1, 1},
    };
    const struct overlap_scenario between = {.name = "between", .workloads = workloads, .count = 3};
    const struct overlap_frame frame = {
        .start_ns = {0, 0, 110}, .end_ns = {100, 105, 210}, .length_ns = 210};
    const unsigned queues[] = {0, 1, 1}, others[] = {0, 0, 1};
    assert_true(isnan(tally_on(&between, queues, alone, &frame).of[OVERLAP_METRIC_GAP]));
    assert_true(isnan(tally_on(&between, others, alone, &frame).of[OVERLAP_METRIC_GAP]));
    assert_true(isnan(tally_on(&between, one_queue, alone, &frame).of[OVERLAP_METRIC_GAP]));
}

static void queues_at_once_gain_and_their_common_time_counts_gaps_out(void **state)
{
    (void)state;
    // The compute queue works from 50 to 150; between 100 and 120 the direct queue waits.
    const struct overlap_frame frame = {
        .start_ns = {0, 120, 50}, .end_ns = {100, 220, 150}, .length_ns = 220};
    struct overlap_tally tally = tally_on(&scenario, two_queues, alone, &frame);
    assert_true(fabs(tally.of[OVERLAP_METRIC_CROSS_QUEUE] - 0.8) < 1e-12);
    assert_true(tally.of[OVERLAP_METRIC_SKEW] == 50);
    assert_true(fabs(tally.of[OVERLAP_METRIC_GAIN] - 300.0 / 220) < 1e-12);
}

static void a_queue_that_waits_for_the_other_has_no_release_skew(void **state)
{
    (void)state;
    static const struct overlap_workload workloads[] = {{.name = "A"}, {.name = "B", .after = 1}};
    const struct overlap_scenario handed = {.name = "two", .workloads = workloads, .count = 2};
    const unsigned queues[] = {0, 1};
    const struct overlap_frame frame = {
        .start_ns = {0, 110}, .end_ns = {100, 210}, .length_ns = 210};
    struct overlap_tally tally = tally_on(&handed, queues, alone, &frame);
    assert_true(isnan(tally.of[OVERLAP_METRIC_SKEW]));
    assert_true(tally.of[OVERLAP_METRIC_CROSS_QUEUE] == 0);
}

static void with_one_queue_nothing_is_said_of_two(void **state)
{
    (void)state;
    const struct overlap_frame frame = {
        .start_ns = {0, 110, 210}, .end_ns = {100, 210, 310}, .length_ns = 310};
    struct overlap_tally tally = tally_on(&scenario, one_queue, alone, &frame);
    assert_true(isnan(tally.of[OVERLAP_METRIC_CROSS_QUEUE]) &&
                isnan(tally.of[OVERLAP_METRIC_SKEW]));
}

static void draws_are_counted_apart_from_dispatches(void **state)
{
    (void)state;
    static const struct overlap_workload mixed[] = {
        {"a", OVERLAP_DIRECT, true, 1, 1, 0},  {"b", OVERLAP_DIRECT, true, 1, 1, 0},
        {"c", OVERLAP_DIRECT, false, 1, 1, 0}, {"d", OVERLAP_DIRECT, true, 1, 1, 4},
        {"e", OVERLAP_DIRECT, false, 1, 1, 8},
    };
    const struct overlap_scenario whole = {
        .name = "mixed", .help = "", .workloads = mixed, .count = 5};
    const unsigned queues[] = {0, 0, 0, 0, 0};
    const double lengths[] = {100, 100, 100, 100, 100};
    const struct overlap_frame frame = {
        .start_ns = {0, 50, 75, 180, 290}, .end_ns = {100, 150, 175, 280, 390}, .length_ns = 390};
    struct overlap_tally tally = tally_on(&whole, queues, lengths, &frame);
    assert_true(tally.of[OVERLAP_METRIC_DRAW_DRAW] == 0.5);
    assert_true(tally.of[OVERLAP_METRIC_DRAW_DISPATCH] == 0.75);
    assert_true(isnan(tally.of[OVERLAP_METRIC_SAME_QUEUE]));
    assert_true(tally.of[OVERLAP_METRIC_DRAW_GAP] == 10);
    assert_true(isnan(tally.of[OVERLAP_METRIC_GAP])); // the wait of a draw is in neither
    assert_true(overlap_scenario_waits_for_draw(&whole));
}

static void waiting_goes_by_way_of_others(void **state)
{
    (void)state;
    const struct overlap_scenario *whole = overlap_scenario_find("default");
    assert_int_equal(overlap_scenario_before(whole, 4), 0xf);
    assert_int_equal(overlap_scenario_before(whole, 7), 0x60);
    assert_null(overlap_scenario_find("defualt"));
}

// True if a workload waits for one on the other queue.
static bool crosses(const struct overlap_scenario *of)
{
    for (size_t w = 0; w < of->count; w++)
        for (size_t p = 0; p < w; p++)
            if (of->workloads[w].after >> p & 1 && of->workloads[w].queue != of->workloads[p].queue)
                return true;
    return false;
}

static void workloads_wait_only_for_earlier_ones(void **state)
{
    (void)state;
    for (size_t s = 0; s < overlap_scenario_count; s++)
        for (size_t w = 0; w < overlap_scenarios[s].count; w++) {
            const struct overlap_workload *workloads = overlap_scenarios[s].workloads;
            assert_true(workloads[w].blocks > 0 && workloads[w].iterations > 0);
            assert_int_equal(workloads[w].after >> w, 0);
        }
    for (size_t s = 0; s < overlap_scenario_count; s++) // only this one crosses queues
        assert_int_equal(crosses(&overlap_scenarios[s]),
                         &overlap_scenarios[s] == overlap_scenario_find("cross-queue"));
}

static void assert_same(double a, double b)
{
    assert_true(isnan(a) ? isnan(b) : fabs(a - b) < 1e-9);
}

static double side_by_side(const struct overlap_scenario *whole, const unsigned *queues,
                           const struct overlap_frame *frame, int draws)
{
    const struct overlap_workload *workloads = whole->workloads;
    double sum = 0, pairs = 0;
    for (size_t b = 1; b < whole->count; b++)
        if (queues[b - 1] == queues[b] && !workloads[b - 1].after && !workloads[b].after &&
            workloads[b - 1].draw + workloads[b].draw == draws) {
            sum += overlap_of(frame, b - 1, b);
            pairs++;
        }
    return pairs > 0 ? sum / pairs : NAN;
}

static double gap_between(const struct overlap_scenario *whole, const struct overlap_frame *frame,
                          bool after_draw)
{
    const struct overlap_workload *workloads = whole->workloads;
    double gaps[OVERLAP_WORKLOADS_MAX];
    size_t count = 0;
    for (size_t w = 1; w < whole->count; w++)
        if (workloads[w].after >> (w - 1) & 1 && !workloads[w].draw &&
            workloads[w - 1].draw == after_draw)
            gaps[count++] = frame->start_ns[w] - frame->end_ns[w - 1];
    return count ? stats_median(gaps, count) : NAN;
}

// All earlier runs rely on this: in a built-in scenario, neighbours stand side by side, and no
// workload waits for two.
static void in_the_built_in_scenarios_neighbours_stand_side_by_side(void **state)
{
    (void)state;
    for (size_t s = 0; s < overlap_scenario_count; s++)
        for (unsigned two = 0; two < 2; two++) { // 0: one queue, 1: two
            const struct overlap_scenario *whole = &overlap_scenarios[s];
            struct overlap_frame frame = {.length_ns = 1};
            unsigned queues[OVERLAP_WORKLOADS_MAX];
            double lengths[OVERLAP_WORKLOADS_MAX];
            for (size_t w = 0; w < whole->count; w++) {
                queues[w] = two ? whole->workloads[w].queue : 0;
                lengths[w] = 100;
                frame.start_ns[w] = 90 * (double)w + (double)(w * w);
                frame.end_ns[w] = frame.start_ns[w] + 100 - (double)w;
            }
            struct overlap_tally tally = tally_on(whole, queues, lengths, &frame);
            assert_same(tally.of[OVERLAP_METRIC_SAME_QUEUE],
                        side_by_side(whole, queues, &frame, 0));
            assert_same(tally.of[OVERLAP_METRIC_DRAW_DISPATCH],
                        side_by_side(whole, queues, &frame, 1));
            assert_same(tally.of[OVERLAP_METRIC_DRAW_DRAW], side_by_side(whole, queues, &frame, 2));
            assert_same(tally.of[OVERLAP_METRIC_GAP], gap_between(whole, &frame, false));
            assert_same(tally.of[OVERLAP_METRIC_DRAW_GAP], gap_between(whole, &frame, true));
        }
}

// Given a frame whose markers the host did not see, when it is added, then the offset between the
// clocks stays unknown. The first frame that bounds the offset sets it.
static void an_offset_without_bounds_is_unknown(void **state)
{
    (void)state;
    const struct measure_clock clock = {.device_bits = 64, .device_tick_ns = 1};
    const struct overlap_frame seen = {.first_ns = 5000, .released_ns = 1000};
    struct overlap_polling polling = {.offset_ns = NAN, .known_ns = NAN};
    struct overlap_agreement agreement = {.markers = 16, .offset_high_ns = INFINITY};
    overlap_polling_add(&polling, &agreement, &seen, &clock);
    assert_true(isnan(polling.known_ns) && isnan(polling.offset_ns));
    agreement.offset_high_ns = 600;
    overlap_polling_add(&polling, &agreement, &seen, &clock);
    assert_true(polling.known_ns == 300 && polling.offset_ns == 3700);
    agreement.offset_high_ns = 800;
    overlap_polling_add(&polling, &agreement, &seen, &clock);
    assert_true(polling.known_ns == 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_within_a_longer_one_overlaps_wholly),
        cmocka_unit_test(bars_that_share_half_of_the_shorter_overlap_half),
        cmocka_unit_test(a_serial_frame_gains_nothing),
        cmocka_unit_test(a_wait_for_another_predecessor_is_no_gap),
        cmocka_unit_test(neighbours_are_those_of_a_queue_and_not_of_the_scenario),
        cmocka_unit_test(what_stands_between_on_either_queue_leaves_no_gap),
        cmocka_unit_test(queues_at_once_gain_and_their_common_time_counts_gaps_out),
        cmocka_unit_test(a_queue_that_waits_for_the_other_has_no_release_skew),
        cmocka_unit_test(with_one_queue_nothing_is_said_of_two),
        cmocka_unit_test(draws_are_counted_apart_from_dispatches),
        cmocka_unit_test(waiting_goes_by_way_of_others),
        cmocka_unit_test(workloads_wait_only_for_earlier_ones),
        cmocka_unit_test(in_the_built_in_scenarios_neighbours_stand_side_by_side),
        cmocka_unit_test(an_offset_without_bounds_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
