// SPDX-License-Identifier: MIT
// Judges clocks from scripted readings: the clocks of cards that were measured, and clocks that are
// known to be difficult.
#include "measure/clock_kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum {
    STAMPS = 128,
    RUNS = 6
};

// A device as seen by the clock kernel.
struct script {
    double core_hz;
    unsigned core_bits;
    uint64_t core_step, core_start;
    double device_tick_ns;
    uint64_t device_step, device_start;
    double iteration_ns;  // time of one iteration of the waiting loop
    double overhead_ns;   // time of a dispatch without its iterations
    double stamps_off;    // share by which time stamps say too much time
    double stamp_step_ns; // step to which the driver rounds time stamps; 0: none
    uint32_t iterations;  // iterations of the long runs
};

struct scripted {
    struct clock_stamp stamps[RUNS][STAMPS];
    struct clock_run runs[RUNS];
};

static uint64_t ticks_at(double ns, double per_ns, uint64_t start, uint64_t step, unsigned bits)
{
    uint64_t ticks = start + (uint64_t)(ns * per_ns);
    return measure_clock_delta(0, ticks / step * step, bits);
}

// Returns what time stamps say of a span.
static double span_of(const struct script *script, double begin_ns, double end_ns)
{
    double step_ns = script->stamp_step_ns;
    if (step_ns > 0)
        return (floor(end_ns / step_ns) - floor(begin_ns / step_ns)) * step_ns;
    return (end_ns - begin_ns) * (1 + script->stamps_off);
}

static void play(const struct script *script, struct scripted *played)
{
    double now_ns = 12345.6;
    for (size_t r = 0; r < RUNS; r++) {
        uint32_t iterations = r < RUNS / 2 ? 0 : script->iterations;
        double begin_ns = now_ns, late_ns = r % 2 ? 3e5 : 1e4; // sometimes the host sees ends late
        now_ns += script->overhead_ns / 2;
        for (size_t s = 0; s < STAMPS; s++) {
            if (s > 0)
                now_ns += 20 + (iterations + (double)(s % 8)) * script->iteration_ns;
            played->stamps[r][s] = (struct clock_stamp){
                ticks_at(now_ns, script->core_hz / 1e9, script->core_start, script->core_step,
                         script->core_bits),
                ticks_at(now_ns, 1 / script->device_tick_ns, script->device_start,
                         script->device_step, 64),
            };
        }
        now_ns += script->overhead_ns / 2;
        played->runs[r] = (struct clock_run){
            .stamps = played->stamps[r],
            .count = STAMPS,
            .iterations = iterations,
            .span_ns = span_of(script, begin_ns, now_ns),
            .asked_ns = begin_ns - 2e4,
            .seen_ns = now_ns + late_ns,
        };
        now_ns += r == RUNS / 2 ? 20e6 : 0;
    }
}

static struct measure_clock judge(const struct script *script, bool core, bool device)
{
    struct scripted played;
    play(script, &played);
    struct arena *arena = arena_create();
    struct measure_clock clock = {.has_counter = core, .has_device_clock = device};
    clock_evidence_judge(arena, played.runs, RUNS, 1, &clock);
    arena_destroy(arena);
    return clock;
}

static const struct script h200 = {
    .core_hz = 1980e6,
    .core_bits = 64,
    .core_step = 1,
    .core_start = UINT64_C(1) << 45,
    .device_tick_ns = 1,
    .device_step = 32,
    .device_start = UINT64_C(1790000000000000000),
    .iteration_ns = 18.3,
    .overhead_ns = 3000,
    .iterations = 2000,
};

static void hopper_has_a_64_bit_core_clock_and_nanoseconds_in_steps_of_32(void **state)
{
    (void)state;
    struct measure_clock clock = judge(&h200, true, true);
    assert_int_equal(clock.counter_bits, 46); // the bits in use
    assert_int_equal(clock.device_bits, 64);
    assert_true(clock.counts_core_clock);
    NEAR(clock.counter_hz / 1980e6, 1, 1e-4);
    NEAR(clock.counter_step, 1, 0);
    NEAR(clock.device_tick_ns, 1, 0);
    NEAR(clock.device_step_ns, 32, 0);
    NEAR(clock.iteration_ns, 18.3, 0.2);
}

static void time_stamps_of_a_wrong_unit_disagree_with_the_device_clock(void **state)
{
    (void)state;
    // Given a card that idles for 0.05 ms around each dispatch, then its time stamps agree.
    struct script script = h200;
    script.overhead_ns = 5e4;
    NEAR(judge(&script, true, true).stamps_off, 0, 0);
    // When a driver states a unit that is too large or too small, then they do not.
    script.overhead_ns = 3e3;
    script.stamps_off = 0.6;
    NEAR(judge(&script, true, true).stamps_off, 0.6, 0.01);
    script.stamps_off = -0.375;
    NEAR(judge(&script, true, true).stamps_off, -0.375, 0.01);
}

// Given kernels that cannot read a device-wide clock, then the host's clock shows it, although the
// host needs time to submit, and often sees the end of a run late.
static void time_stamps_of_a_wrong_unit_disagree_with_the_clock_of_the_host(void **state)
{
    (void)state;
    for (int counter = 0; counter < 2; counter++) {
        struct script script = h200;
        NEAR(judge(&script, counter, false).stamps_off, 0, 0);
        script.stamps_off = 0.6;
        NEAR(judge(&script, counter, false).stamps_off, 0.6, 0.01);
        script.stamps_off = -0.375;
        NEAR(judge(&script, counter, false).stamps_off, -0.375, 0.01);
        // A difference below 10 % may be an error of the host's clock.
        script.stamps_off = -0.09;
        NEAR(judge(&script, counter, false).stamps_off, 0, 0);
    }
}

// Given a driver that states time stamps of 1 ns but rounds them to 1 us, 1 ms or 16 ms, when the
// clocks are judged, then the step is known. Runs that last less than a step show none.
static void the_step_to_which_a_driver_rounds_time_stamps_is_seen(void **state)
{
    (void)state;
    struct script script = h200;
    static const double steps_ns[] = {1e3, 1e6, 16e6};
    for (size_t i = 0; i < 3; i++) {
        script.stamp_step_ns = steps_ns[i];
        NEAR(judge(&script, true, true).stamp_step_ns, steps_ns[i], 0);
    }
    script.stamp_step_ns = 1e12;
    NEAR(judge(&script, true, true).stamp_step_ns, 0, 0);
}

static void rdna_2_wraps_at_20_bits_and_counts_ticks_of_10_ns(void **state)
{
    (void)state;
    struct script script = h200;
    script.core_hz = 2581e6;
    script.core_bits = 20;
    script.device_tick_ns = 10;
    script.device_step = 1;
    struct measure_clock clock = judge(&script, true, true);
    assert_int_equal(clock.counter_bits, 20);
    assert_true(clock.counts_core_clock);
    NEAR(clock.counter_hz / 2581e6, 1, 1e-2);
    // Time stamps are in ns here, so there is no unit to round to.
    NEAR(clock.device_tick_ns, 10, 0.1);
}

static void lavapipe_reads_one_clock_of_the_host_for_both(void **state)
{
    (void)state;
    struct script script = h200;
    script.core_hz = 1e9;
    script.core_bits = 32;
    script.core_start = UINT64_C(3000000000);
    script.device_step = 1;
    struct measure_clock clock = judge(&script, true, true);
    assert_int_equal(clock.counter_bits, 32);
    NEAR(clock.counter_hz, 1e9, 1e4);
    assert_false(clock.counts_core_clock);
}

static void a_core_that_runs_at_1_ghz_is_still_a_core(void **state)
{
    (void)state;
    struct script script = h200;
    script.core_hz = 1e9;
    struct measure_clock clock = judge(&script, true, true);
    assert_true(clock.counts_core_clock); // its step shows that it is the core clock
}

static void a_timer_crystal_is_no_core_clock(void **state)
{
    (void)state;
    struct script script = h200;
    script.core_hz = 19.2e6;
    struct measure_clock clock = judge(&script, true, true);
    assert_false(clock.counts_core_clock);
    NEAR(clock.counter_hz / 19.2e6, 1, 1e-3);
}

static void without_a_device_clock_spans_give_the_rate(void **state)
{
    (void)state;
    struct measure_clock clock = judge(&h200, true, false);
    assert_false(clock.has_device_clock);
    assert_true(clock.counts_core_clock);
    NEAR(clock.counter_hz / 1980e6, 1, 1e-3);
    NEAR(clock.device_tick_ns, 0, 0);
}

static void a_device_clock_alone_is_judged_too(void **state)
{
    (void)state;
    struct measure_clock clock = judge(&h200, false, true);
    assert_false(clock.has_counter);
    assert_false(clock.counts_core_clock);
    NEAR(clock.device_step_ns, 32, 0);
}

// Given a clock that a driver offers, but that never advances, then it counts as missing, and the
// other clock is judged as if it were alone.
static void a_clock_that_stands_still_is_none(void **state)
{
    (void)state;
    struct script script = h200;
    script.core_hz = 0;
    struct measure_clock clock = judge(&script, true, true);
    assert_false(clock.has_counter || clock.counts_core_clock);
    assert_true(clock.has_device_clock);
    NEAR(clock.device_tick_ns, 1, 0);

    script = h200;
    script.device_tick_ns = INFINITY;
    clock = judge(&script, true, true);
    assert_false(clock.has_device_clock);
    assert_true(clock.has_counter && clock.counts_core_clock);
    NEAR(clock.counter_hz / 1980e6, 1, 1e-3);
    NEAR(clock.device_tick_ns, 0, 0);
}

static void a_small_value_that_never_fell_leaves_the_width_open(void **state)
{
    (void)state;
    const struct clock_stamp stamps[] = {{1000, 0}, {2000, 0}, {3000, 0}};
    struct clock_run run = {.stamps = stamps, .count = 3};
    assert_int_equal(clock_evidence_bits(&run, 1), 0);

    const struct clock_stamp later[] = {{1 << 25, 0}, {(1 << 25) + 9, 0}};
    struct clock_run both[] = {run, {.stamps = later, .count = 2}};
    assert_int_equal(clock_evidence_bits(both, 2), 32);
}

static void a_counter_of_33_to_63_bits_is_right_across_its_wrap(void **state)
{
    (void)state;
    for (unsigned width = 33; width <= 56; width++) {
        // given a counter whose upper half the probe saw, and which wraps later
        const uint64_t range = UINT64_C(1) << width, seen = range - range / 4;
        const struct clock_stamp stamps[] = {{seen, 0}, {seen + 1000, 0}};
        struct clock_run run = {.stamps = stamps, .count = 2};
        unsigned bits = clock_evidence_bits(&run, 1);
        // then an interval across the wrap is right
        assert_int_equal(bits, width);
        assert_int_equal(measure_clock_delta(range - 300, 700, bits), 1000);
    }
    // given a counter of 64 bits of which few are in use, then an interval is also right when one
    // more bit comes into use
    const struct clock_stamp early[] = {{UINT64_C(5) << 32, 0}, {(UINT64_C(5) << 32) + 9, 0}};
    struct clock_run run = {.stamps = early, .count = 2};
    unsigned bits = clock_evidence_bits(&run, 1);
    assert_int_equal(bits, 35);
    assert_int_equal(
        measure_clock_delta((UINT64_C(1) << 35) - 300, (UINT64_C(1) << 35) + 700, bits), 1000);
}

static void a_step_back_by_a_hair_is_no_wrap(void **state)
{
    (void)state;
    // Given a thread that moved to a processor whose clock is 5 ns behind the first processor's.
    const struct clock_stamp stamps[] = {{3000000000, 0}, {2999999995, 0}, {3000000400, 0}};
    struct clock_run run = {.stamps = stamps, .count = 3};
    assert_int_equal(clock_evidence_bits(&run, 1), 32);
}

static void deltas_wrap(void **state)
{
    (void)state;
    assert_int_equal(measure_clock_delta(5, 9, 20), 4);
    assert_int_equal(measure_clock_delta((1 << 20) - 1, 3, 20), 4);
    assert_int_equal(measure_clock_delta(UINT32_MAX, 0, 32), 1);
    assert_int_equal(measure_clock_delta(UINT64_MAX, 1, 64), 2);
}

static void stamps_are_related_across_a_wrap(void **state)
{
    (void)state;
    const uint32_t words[2] = {0x89abcdef, 0x1234567};
    assert_true(measure_clock_stamp(words) == 0x123456789abcdef);
    // Given a clock of 32 bits and 10 ns per tick, and two stamps 20 ticks apart, with a wrap
    // between them.
    const struct measure_clock clock = {.device_bits = 32, .device_tick_ns = 10};
    uint64_t before = 0xfffffff6, after = 10;
    NEAR(measure_clock_elapsed_ns(&clock, before, after), 200, 0);
    NEAR(measure_clock_offset_ns(&clock, before, after), 200, 0);
    NEAR(measure_clock_offset_ns(&clock, after, before), -200, 0);
}

static void kernels_store_32_bits_of_a_counter_at_most(void **state)
{
    (void)state;
    assert_int_equal(measure_clock_low_bits(&(struct measure_clock){.counter_bits = 20}), 20);
    assert_int_equal(measure_clock_low_bits(&(struct measure_clock){.counter_bits = 64}), 32);
    assert_int_equal(measure_clock_low_bits(&(struct measure_clock){0}), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_are_related_across_a_wrap),
        cmocka_unit_test(kernels_store_32_bits_of_a_counter_at_most),
        cmocka_unit_test(hopper_has_a_64_bit_core_clock_and_nanoseconds_in_steps_of_32),
        cmocka_unit_test(time_stamps_of_a_wrong_unit_disagree_with_the_device_clock),
        cmocka_unit_test(time_stamps_of_a_wrong_unit_disagree_with_the_clock_of_the_host),
        cmocka_unit_test(the_step_to_which_a_driver_rounds_time_stamps_is_seen),
        cmocka_unit_test(rdna_2_wraps_at_20_bits_and_counts_ticks_of_10_ns),
        cmocka_unit_test(lavapipe_reads_one_clock_of_the_host_for_both),
        cmocka_unit_test(a_core_that_runs_at_1_ghz_is_still_a_core),
        cmocka_unit_test(a_timer_crystal_is_no_core_clock),
        cmocka_unit_test(without_a_device_clock_spans_give_the_rate),
        cmocka_unit_test(a_device_clock_alone_is_judged_too),
        cmocka_unit_test(a_clock_that_stands_still_is_none),
        cmocka_unit_test(a_small_value_that_never_fell_leaves_the_width_open),
        cmocka_unit_test(a_counter_of_33_to_63_bits_is_right_across_its_wrap),
        cmocka_unit_test(a_step_back_by_a_hair_is_no_wrap),
        cmocka_unit_test(deltas_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
