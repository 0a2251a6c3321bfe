// SPDX-License-Identifier: MIT
// Tests sizing, warm-up and core clock of throughput samples with scripted times.
#include "measure/clock_kernel.h"
#include "measure/span.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const struct span_size size = {.wanted_ns = 2e6, .repeats_max = 4096};

// Sizes work that takes `unit_ns` per unit, as measure_span_run does. Counts the steps.
static uint64_t size_of(double unit_ns, int *steps)
{
    uint64_t repeats = 1, next = 1;
    *steps = 0;
    do {
        repeats = next;
        next = span_next_repeats(&size, repeats, (double)repeats * unit_ns);
        ++*steps;
    } while (next != repeats);
    return repeats;
}

static void work_grows_until_a_sample_is_long_enough(void **state)
{
    (void)state;
    static const double units_ns[] = {600, 1e3, 5e4, 3e5, 1.9e6};
    for (size_t i = 0; i < sizeof units_ns / sizeof units_ns[0]; i++) {
        int steps;
        double sample_ns = (double)size_of(units_ns[i], &steps) * units_ns[i];
        assert_true(sample_ns >= 2e6);
        assert_true(sample_ns <= 2e6 * 1.2 + 2 * units_ns[i]);
        assert_in_range(steps, 1, 6);
    }
}

static void long_units_are_not_repeated(void **state)
{
    (void)state;
    int steps;
    assert_int_equal(size_of(2.1e6, &steps), 1);
    assert_int_equal(size_of(3e9, &steps), 1);
    assert_int_equal(steps, 1);
}

static void repeats_and_submissions_are_bounded(void **state)
{
    (void)state;
    int steps;
    assert_int_equal(size_of(0, &steps), 4096); // the clock is too coarse to show a time
    const struct span_size coarse = {.wanted_ns = span_wanted_ns(2000000, 1e9),
                                     .repeats_max = 4096};
    NEAR(coarse.wanted_ns, SPAN_LONGEST_NS, 0);
    // Given 200 ms for one unit, then two are tried (400 ms), not three.
    assert_int_equal(span_next_repeats(&coarse, 1, 200e6), 2);
    assert_int_equal(span_next_repeats(&coarse, 2, 400e6), 2);
}

static void samples_have_at_least_1000_steps_of_the_clock(void **state)
{
    (void)state;
    NEAR(span_wanted_ns(2000000, 1), 2e6, 0);
    NEAR(span_wanted_ns(2000000, 10000), 1e7, 0);
}

static int runs_until_warm(struct span_warmth warmth, const double *times_ns, int count)
{
    for (int run = 0; run < count; run++)
        if (span_warm(&warmth, times_ns[run]))
            return run + 1;
    return -1;
}

static void warm_up_lasts_while_the_clock_rises(void **state)
{
    (void)state;
    const double rising_ns[] = {9e6, 6e6, 4e6, 3e6, 2.5e6, 2.01e6, 2e6, 2.001e6, 1.999e6};
    assert_int_equal(runs_until_warm((struct span_warmth){0}, rising_ns, 9), 8);
}

static void warm_up_lasts_as_long_as_it_must(void **state)
{
    (void)state;
    double steady_ns[20];
    for (int i = 0; i < 20; i++)
        steady_ns[i] = 2e6;
    assert_int_equal(runs_until_warm((struct span_warmth){0}, steady_ns, 20), 3);
    assert_int_equal(runs_until_warm((struct span_warmth){.least_ns = 15e6}, steady_ns, 20), 8);
}

static void warm_up_ends_even_where_it_never_settles(void **state)
{
    (void)state;
    double times_ns[200], now_ns = 8e6;
    for (int i = 0; i < 200; i++)
        times_ns[i] = now_ns *= 0.99;
    int runs = runs_until_warm((struct span_warmth){0}, times_ns, 200);
    assert_in_range(runs, 30, 60);
    const double one_unit_ns[] = {400e6};
    assert_int_equal(runs_until_warm((struct span_warmth){0}, one_unit_ns, 1), 1);
}

static void work_that_is_known_warms_up_in_two_runs(void **state)
{
    (void)state;
    const double steady_ns[] = {2e6, 2e6, 2e6}, rising_ns[] = {4e6, 3e6, 2e6, 2e6, 2e6};
    const struct span_warmth known = {.calm_wanted = 1};
    assert_int_equal(runs_until_warm(known, steady_ns, 3), 2);
    assert_int_equal(runs_until_warm(known, rising_ns, 5), 4);
}

static void long_samples_are_fewer(void **state)
{
    (void)state;
    // Given four samples of 2 ms each, then the samples end after 32 ms, but never before the
    // second.
    assert_true(span_another(4, 2000000, 3, 31e6));
    assert_false(span_another(4, 2000000, 3, 33e6));
    assert_true(span_another(4, 2000000, 1, 500e6));
    assert_false(span_another(4, 2000000, 2, 500e6));
    assert_false(span_another(4, 2000000, 4, 8e6));
    // Given a request for one sample, or for 0 samples, then one is taken.
    assert_true(span_another(0, 2000000, 0, 0));
    assert_false(span_another(0, 2000000, 1, 2e6));
    // Given no requested length, then all samples are taken.
    assert_true(span_another(4, 0, 3, 500e6));
}

// ---------------------------------------------------------------- core clock

static const struct measure_clock wide = {
    .counter_bits = 64, .device_bits = 64, .device_tick_ns = 1};

static void put_stamp(uint32_t *words, uint64_t core, uint64_t device)
{
    words[0] = (uint32_t)core;
    words[1] = (uint32_t)(core >> 32);
    words[2] = (uint32_t)device;
    words[3] = (uint32_t)(device >> 32);
}

static void stamps_are_paired_by_core(void **state)
{
    (void)state;
    // Given cores with counters that are far apart, visited in another order after the span, and
    // one core that did not stamp before the span.
    const uint32_t before_ids[] = {7, 3, 5}, after_ids[] = {5, 7, 9};
    uint32_t before[15], after[15];
    for (size_t g = 0; g < 3; g++) {
        before[5 * g] = before_ids[g];
        put_stamp(&before[5 * g + 1], before_ids[g] * UINT64_C(1000000000000), 5000);
        after[5 * g] = after_ids[g];
        put_stamp(&after[5 * g + 1], after_ids[g] * UINT64_C(1000000000000) + 3960000,
                  5000 + 2000000);
    }
    struct arena *arena = arena_create();
    const struct span_stamps stamps = {before, after, 3, 1};
    NEAR(span_core_hz(arena, &wide, &stamps), 1980e6, 1);
    // When no core stamped both before and after, then there is no clock.
    after[0] = after[5] = after[10] = 1;
    assert_true(isnan(span_core_hz(arena, &wide, &stamps)));
    arena_destroy(arena);
}

static void cores_that_ran_are_counted_by_their_ids(void **state)
{
    (void)state;
    uint32_t words[4][5] = {{7}, {3}, {7}, {0}};
    struct arena *arena = arena_create();
    assert_int_equal(clock_kernel_cores(arena, words[0], 4), 3);
    words[3][0] = UINT32_MAX; // a kernel that cannot read the number of its core
    assert_int_equal(clock_kernel_cores(arena, words[0], 4), 0);
    arena_destroy(arena);
}

// With two workgroups for each stated core, nearly all cores run one.
static void a_driver_that_states_a_wrong_number_of_cores_is_doubted(void **state)
{
    static const struct {
        unsigned seen, stated;
        bool is_wrong;
    } cases[] = {{132, 132, false}, {130, 132, false}, {67, 132, false}, {1, 1, false},
                 {0, 132, false},   {132, 0, false},   {20, 10, true},   {66, 132, true}};
    (void)state;
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct measure_span span = {.cores_seen = cases[i].seen,
                                          .cores_stated = cases[i].stated};
        struct measure_visit *visit = measure_visit_create(arena);
        measure_span_note(&span, visit);
        assert_int_equal(measure_span_cores_are_wrong(&span), cases[i].is_wrong);
        assert_int_equal(visit->detail_count, cases[i].is_wrong);
    }
    arena_destroy(arena);
}

// Given a counter of 20 bits at 2.5 GHz, which wraps each 0.42 ms, when a sample lasts 2 ms, then
// the number of cycles, and with it the clock, is not known.
static void a_counter_that_wraps_several_times_gives_no_clock(void **state)
{
    (void)state;
    const struct measure_clock narrow = {
        .counter_bits = 20, .counter_hz = 2500e6, .device_bits = 64, .device_tick_ns = 1};
    uint32_t before[5] = {7}, after[5] = {7};
    put_stamp(&before[1], 1000, 5000);
    struct arena *arena = arena_create();
    const struct span_stamps stamps = {before, after, 1, 1};
    put_stamp(&after[1], (1000 + 5000000) % (1 << 20), 5000 + 2000000);
    assert_true(isnan(span_core_hz(arena, &narrow, &stamps)));
    put_stamp(&after[1], 1000 + 500000, 5000 + 200000);
    NEAR(span_core_hz(arena, &narrow, &stamps), 2500e6, 1);
    arena_destroy(arena);
}

static void without_core_ids_the_wait_inside_the_kernel_tells(void **state)
{
    (void)state;
    // Given a counter of 20 bits that wraps during the wait, and device ticks of 10 ns.
    const struct measure_clock narrow = {
        .counter_bits = 20, .device_bits = 64, .device_tick_ns = 10};
    uint32_t words[2][9];
    for (int side = 0; side < 2; side++) {
        words[side][0] = UINT32_MAX;
        put_stamp(&words[side][1], 1048000, 100);
        put_stamp(&words[side][5], (1048000 + 50000) % (1 << 20), 100 + 2000);
    }
    struct arena *arena = arena_create();
    const struct span_stamps stamps = {words[0], words[1], 1, 2};
    NEAR(span_core_hz(arena, &narrow, &stamps), 2500e6, 1);
    arena_destroy(arena);
}

static void a_span_becomes_a_rate(void **state)
{
    (void)state;
    double unit_ns[] = {1000, 1010, 990}, core_hz[] = {1.98e9, NAN, 1.97e9};
    const struct measure_span span = {
        .unit_ns = unit_ns, .core_hz = core_hz, .count = 3, .step_ns = 2, .device_time_ns = 77};
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    measure_span_rate(&span, 4e6, 0, visit);
    measure_span_note(&span, visit);
    // Then 4 MB in 1 µs are 4 TB/s, and a step of 2 ns in 1000 ns is 0.2 % of that.
    NEAR(visit->metrics[0].values[0], 4e12, 1);
    NEAR(visit->metrics[0].step, 8e9, 1);
    assert_int_equal(visit->metrics[0].count, 3);
    assert_string_equal(visit->sensors[0].name, "core_clock");
    NEAR(visit->sensors[0].value, 1.975e9, 1);
    assert_int_equal(visit->device_time_ns, 77);
    arena_destroy(arena);
}

static void a_span_of_time_stamps_that_disagree_is_suspect(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    struct measure_clock clock = {.has_device_clock = true};
    const struct measure_span span = {.clock = &clock};
    measure_span_note(&span, visit);
    assert_int_equal(visit->reason_count, 0);
    clock.stamps_off = -0.375;
    measure_span_note(&span, visit);
    assert_int_equal(visit->reason_count, 1);
    assert_string_equal(visit->reasons[0].code, "clocks-disagree");
    assert_string_equal(visit->reasons[0].text, "the device's time stamps say 37.5 % less time "
                                                "than the clock that kernels read");
    // Without a clock that kernels read, the host's clock shows it.
    clock = (struct measure_clock){.stamps_off = 0.6};
    measure_stamps_note(&clock, visit);
    assert_string_equal(visit->reasons[1].text,
                        "the device's time stamps say 60 % more time than the host's clock");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_grows_until_a_sample_is_long_enough),
        cmocka_unit_test(long_units_are_not_repeated),
        cmocka_unit_test(repeats_and_submissions_are_bounded),
        cmocka_unit_test(samples_have_at_least_1000_steps_of_the_clock),
        cmocka_unit_test(warm_up_lasts_while_the_clock_rises),
        cmocka_unit_test(warm_up_lasts_as_long_as_it_must),
        cmocka_unit_test(warm_up_ends_even_where_it_never_settles),
        cmocka_unit_test(work_that_is_known_warms_up_in_two_runs),
        cmocka_unit_test(long_samples_are_fewer),
        cmocka_unit_test(stamps_are_paired_by_core),
        cmocka_unit_test(cores_that_ran_are_counted_by_their_ids),
        cmocka_unit_test(a_driver_that_states_a_wrong_number_of_cores_is_doubted),
        cmocka_unit_test(a_counter_that_wraps_several_times_gives_no_clock),
        cmocka_unit_test(without_core_ids_the_wait_inside_the_kernel_tells),
        cmocka_unit_test(a_span_becomes_a_rate),
        cmocka_unit_test(a_span_of_time_stamps_that_disagree_is_suspect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
