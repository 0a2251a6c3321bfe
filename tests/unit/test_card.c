// SPDX-License-Identifier: MIT
// Tests how a card is found, what its readings say about a visit, and how the clock of a visit is
// judged.
#include "measure/card.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_card_is_known_by_what_its_api_tells(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct gpu_info info = {.has_pci = true, .pci = {.bus = 0x1b, .device = 0x1f, .function = 1}};
    struct sensors_desc card = measure_card_of(arena, &info);
    assert_string_equal(card.pci, "0000:1b:1f.1"); // as sysfs and NVML write it
    assert_null(card.uuid);
    info = (struct gpu_info){.has_uuid = true};
    card = measure_card_of(arena, &info);
    assert_null(card.pci);
    assert_ptr_equal(card.uuid, info.uuid);
    arena_destroy(arena);
}

// Returns a reading `at_s` seconds after the first one, in which every value is absent.
static struct sensor_reading reading_at(double at_s)
{
    struct sensor_reading reading = {.at_ns = (uint64_t)(at_s * 1e9)};
    for (size_t i = 0; i < SENSOR_VALUE_COUNT; i++)
        reading.values[i] = (double)NAN;
    return reading;
}

static void the_limiter_times_say_what_limited_the_clock(void **state)
{
    (void)state;
    // Given a card that named its power limit at the second reading.
    struct sensor_reading from = reading_at(10), to = reading_at(11);
    to.values[SENSOR_THROTTLE] = SENSOR_THROTTLE_POWER;
    // Without limiter times, the power limit counts.
    assert_int_equal(measure_card_limiter(&from, &to), SENSOR_THROTTLE_POWER);
    // With limiter times, the times decide: the power limit was at work for 1 % of the time.
    from.values[SENSOR_POWER_LIMITED] = 5;
    to.values[SENSOR_POWER_LIMITED] = 5.01;
    from.values[SENSOR_THERMAL_LIMITED] = to.values[SENSOR_THERMAL_LIMITED] = 3;
    assert_int_equal(measure_card_limiter(&from, &to), 0);
    to.values[SENSOR_POWER_LIMITED] = 5.4;
    assert_int_equal(measure_card_limiter(&from, &to), SENSOR_THROTTLE_POWER);
    to.values[SENSOR_THERMAL_LIMITED] = 4;
    assert_int_equal(measure_card_limiter(&from, &to),
                     SENSOR_THROTTLE_POWER | SENSOR_THROTTLE_THERMAL);
    // Two equal readings show no limiter.
    assert_int_equal(measure_card_limiter(&from, &from), 0);
}

static void power_is_the_energy_of_work_without_pauses(void **state)
{
    (void)state;
    struct sensor_reading from = reading_at(10), to = reading_at(12.5);
    assert_true(isnan(measure_card_watts(&from, &to, UINT64_C(2500000000))));
    from.values[SENSOR_ENERGY] = 1000;
    to.values[SENSOR_ENERGY] = 2705;
    assert_true(fabs(measure_card_watts(&from, &to, UINT64_C(2500000000)) - 682) < 1e-9);
    // The device was idle for a fifth of the time, so the average is not the power of its work.
    assert_true(isnan(measure_card_watts(&from, &to, UINT64_C(2000000000))));
    // Half a second is too short for a counter that changes each 0.1 s.
    to.at_ns = from.at_ns + 500000000;
    assert_true(isnan(measure_card_watts(&from, &to, 500000000)));
}

// ---------------------------------------------------------------- visits of a card without sensors

static const struct metric_info metrics[] = {{.name = "rate", .unit = UNIT_OP_PER_S},
                                             {.name = "count", .unit = UNIT_NONE}};
static const struct benchmark_info timed = {.metrics = metrics, .metric_count = 1},
                                   counted = {.metrics = metrics + 1, .metric_count = 1};

// Makes a visit whose samples had these clocks, and returns the visit.
static struct measure_visit *visit_at(struct measure_card *card, struct arena *arena,
                                      const struct benchmark_info *info, double low_hz,
                                      double high_hz)
{
    struct measure_visit *visit = measure_visit_create(arena);
    double case_hz = 0, hz[] = {low_hz, high_hz, high_hz};
    measure_card_begin(card, &case_hz);
    visit_core_clock(visit, hz, 3, 0.001);
    visit->clock.load = 7;
    measure_card_note(card, info, false, visit);
    return visit;
}

static void a_low_clock_is_taken_again_and_a_lasting_one_is_told(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct gpu_info info = {.limits = {.core_clock_hz = 1980000000}};
    struct measure_card *card = measure_card_open(arena, &info);
    struct measure_visit *visit = visit_at(card, arena, &timed, 1980e6, 1980e6);
    assert_int_equal(visit->retake_count + visit->remark_count, 0);
    // When the clock falls during the samples, or the load had a higher clock before, then the
    // visit should be taken again.
    visit = visit_at(card, arena, &timed, 1305e6, 1980e6);
    assert_string_equal(visit->retakes[0].code, "low-clock");
    visit = visit_at(card, arena, &timed, 1755e6, 1755e6);
    assert_string_equal(visit->retakes[0].text, "1.75 GHz; such a load kept 1.98 GHz in this run");
    // When the clock stays low, then it becomes the clock of this load.
    for (int i = 1; i < PACE_LASTING; i++)
        visit = visit_at(card, arena, &timed, 1755e6, 1755e6);
    assert_int_equal(visit->retake_count, 0);
    assert_string_equal(visit->remarks[0].code, "low-clock");
    assert_string_equal(visit->remarks[0].text, "1.75 GHz under this load, cause unknown");
    // A count does not depend on the clock.
    visit = visit_at(card, arena, &counted, 1000e6, 1755e6);
    assert_int_equal(visit->retake_count + visit->remark_count, 0);
    measure_card_close(card);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_is_known_by_what_its_api_tells),
        cmocka_unit_test(the_limiter_times_say_what_limited_the_clock),
        cmocka_unit_test(power_is_the_energy_of_work_without_pauses),
        cmocka_unit_test(a_low_clock_is_taken_again_and_a_lasting_one_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
