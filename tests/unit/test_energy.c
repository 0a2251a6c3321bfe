// SPDX-License-Identifier: MIT
// Tests the energy of a unit of work, computed from invented readings of a card's counter.
#include "measure/energy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    READINGS = 240
};
static const uint64_t ms_ns = 1000000;

// Makes readings 5 ms apart, of a card that draws `watts` and whose counter changes every
// `period_ms`.
static void fill(struct energy_reading *readings, double watts, unsigned period_ms)
{
    for (unsigned i = 0; i < READINGS; i++) {
        unsigned seen_ms = 5 * i / period_ms * period_ms;
        readings[i] = (struct energy_reading){
            .at_ns = 5 * i * ms_ns, .joules = 1e6 + watts * seen_ms / 1e3, .units = 2.0 * i};
    }
}

static void a_counter_that_changes_now_and_then_gives_the_power_between_its_changes(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result result;
    fill(readings, 500, 100); // 2 units in 5 ms
    measure_energy_of(readings, READINGS, &result);
    assert_int_equal(result.changes, 10);
    assert_true(fabs(result.length_ns - 1e9) < 1);
    assert_true(fabs(result.watts - 500) < 1e-9);
    assert_true(fabs(result.unit_j - 500 * 0.005 / 2) < 1e-12);
}

static void the_interval_holds_late_ends_and_scattered_power(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result steady, restless;
    // Given readings 5 ms apart and ten changes in a second, when the power is constant, then only
    // the uncertainty of the ends counts: 5 ms of a second.
    fill(readings, 500, 100);
    measure_energy_of(readings, READINGS, &steady);
    assert_true(fabs(steady.half - 0.005) < 1e-6);
    // When the power rises and falls by a tenth, then the interval is wider, but by far less.
    double joules = 1e6;
    for (unsigned i = 1; i < READINGS; i++) {
        if (i % 20 == 0)
            joules += (i / 40 % 2 ? 550 : 450) * 0.1;
        readings[i].joules = i < 20 ? 1e6 : joules;
    }
    measure_energy_of(readings, READINGS, &restless);
    assert_in_range((int)(1000 * restless.half), 10, 30);
    assert_true(fabs(restless.watts - 500) < 500 * restless.half);
    // When the counter changes only four times, then there is no interval.
    fill(readings, 500, 250);
    measure_energy_of(readings, READINGS, &steady);
    assert_int_equal(steady.changes, 3);
    assert_true(isnan(steady.half) && isfinite(steady.unit_j));
}

static void changes_that_are_seen_late_do_not_add_up(void **state)
{
    (void)state;
    struct energy_reading readings[16];
    struct measure_energy_result result;
    // Given a card at 500 W whose counter changes every 100 ms, when the changes are seen up to
    // 20 ms late, so that the power between two of them seems to be 417 to 610 W:
    static const unsigned late_ms[] = {0, 20, 5, 15, 0, 20, 10, 5};
    for (unsigned i = 0; i < 16; i++) {
        unsigned at_ms = 100 * (i / 2) + 50 + late_ms[i / 2] - (i % 2 ? 0 : 5), seen = (i + 1) / 2;
        readings[i] = (struct energy_reading){
            .at_ns = at_ms * ms_ns, .joules = 1e6 + 50.0 * seen, .units = at_ms};
    }
    measure_energy_of(readings, 16, &result);
    // Then the power is known to a few percent, and the interval contains the truth.
    assert_int_equal(result.changes, 7);
    assert_true(result.half < 0.05 && fabs(result.watts - 500) < 500 * result.half);
}

static void a_change_that_was_seen_late_is_no_end(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS], late[READINGS];
    struct measure_energy_result result;
    // Given a change each 100 ms, when the readings from 40 ms before the first and the last one to
    // 10 ms after them are missing,
    size_t count = 0;
    fill(readings, 500, 100);
    for (size_t i = 0; i < READINGS; i++)
        if ((i < 12 || i > 21) && (i < 212 || i > 221))
            late[count++] = readings[i];
    measure_energy_of(late, count, &result);
    // then these two are left out.
    assert_int_equal(result.changes, 8);
    assert_true(fabs(result.watts - 500) < 1e-9 && result.half < 0.01);
}

static void readings_that_the_card_refused_are_passed_over(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result result;
    fill(readings, 500, 20);
    for (unsigned i = 3; i < READINGS; i += 7)
        readings[i].joules = NAN;
    measure_energy_of(readings, READINGS, &result);
    assert_true(fabs(result.watts - 500) < 5);
}

static void a_counter_that_stands_still_gives_nothing(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result result;
    fill(readings, 0, 100);
    measure_energy_of(readings, READINGS, &result);
    assert_int_equal(result.changes, 0);
    assert_true(isnan(result.unit_j) && isnan(result.watts));
    measure_energy_of(readings, 0, &result);
    assert_true(isnan(result.unit_j));
}

static void one_change_alone_is_no_length_of_time(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result result;
    fill(readings, 500, 1000);
    measure_energy_of(readings, READINGS, &result);
    assert_int_equal(result.changes, 0);
    assert_true(isnan(result.unit_j));
}

static void a_counter_that_falls_is_not_believed(void **state)
{
    (void)state;
    struct energy_reading readings[READINGS];
    struct measure_energy_result result;
    fill(readings, -300, 50);
    measure_energy_of(readings, READINGS, &result);
    assert_true(isnan(result.unit_j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_that_changes_now_and_then_gives_the_power_between_its_changes),
        cmocka_unit_test(the_interval_holds_late_ends_and_scattered_power),
        cmocka_unit_test(changes_that_are_seen_late_do_not_add_up),
        cmocka_unit_test(a_change_that_was_seen_late_is_no_end),
        cmocka_unit_test(readings_that_the_card_refused_are_passed_over),
        cmocka_unit_test(a_counter_that_stands_still_gives_nothing),
        cmocka_unit_test(one_change_alone_is_no_length_of_time),
        cmocka_unit_test(a_counter_that_falls_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
