// SPDX-License-Identifier: MIT
// Tests the arithmetic of units of work: growth, grids and counts.
#include "base/clock.h"
#include "measure/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void iterations_grow_in_proportion_between_bounds(void **state)
{
    (void)state;
    assert_true(measure_unit_grow(10, 3000, 1000, 2, 64) == 30);
    assert_true(measure_unit_grow(10, 1500, 1000, 2, 64) == 20);
    assert_true(measure_unit_grow(10, 1e9, 1000, 2, 64) == 640);
    assert_true(measure_unit_grow(10, 32, 0, 2, 64) == 320); // as if it had taken 1 ns
}

static void grids_hold_all_workgroups_in_rows_that_the_device_has(void **state)
{
    (void)state;
    uint32_t grid[2];
    measure_unit_grid(65535, 65535, grid);
    assert_true(grid[0] == 65535 && grid[1] == 1);
    measure_unit_grid(65537, 65535, grid);
    assert_true(grid[0] == 32769 && grid[1] == 2);
    measure_unit_grid(1 << 24, 0, grid); // no limit is known
    assert_true(grid[0] == 1 << 24 && grid[1] == 1);
}

static void a_count_that_breaks_a_rule_names_the_rule(void **state)
{
    (void)state;
    uint64_t units;
    struct error err = {0};
    const struct measure_ran four = {.units = 4}, four_or_more = {.units = 4, .or_more = true};
    assert_true(measure_unit_counted(28, 7, &four, &units, &err));
    assert_int_equal(units, 4);
    assert_true(measure_unit_counted(35, 7, &four_or_more, &units, &err));
    assert_int_equal(units, 5);
    assert_false(measure_unit_counted(36, 7, &four_or_more, &units, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_string_equal(err.message, "the kernels counted 36, which is no multiple of 7");
    assert_false(measure_unit_counted(21, 7, &four_or_more, &units, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    // One lost unit, or one too many, is enough.
    assert_false(measure_unit_counted(21, 7, &four, &units, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_string_equal(err.message, "the kernels counted 21, but 4 units of work ran, of 7 each: "
                                     "the device lost work");
    assert_false(measure_unit_counted(35, 7, &four, &units, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_string_equal(err.message, "the kernels counted 35, but 4 units of work ran, of 7 each: "
                                     "the device did work twice");
}

static void work_that_takes_no_time_although_the_host_waited_is_an_error(void **state)
{
    (void)state;
    const struct gpu_info info = {.id = "still:0"};
    uint64_t now_ns = clock_now_ns(), long_ago_ns = now_ns - NS_PER_S;
    struct error err = {0};
    // the work is too short for the clock; it began later, so that a busy machine makes no
    // difference
    assert_true(measure_unit_check(&info, 0, now_ns + 3600 * NS_PER_S, &err));
    assert_true(measure_unit_check(&info, 1, long_ago_ns, &err));
    const struct gpu_info model = {.caps = GPU_CAP(VIRTUAL_TIME)}; // the host waits to simulate it
    assert_true(measure_unit_check(&model, 0, long_ago_ns, &err));
    assert_false(measure_unit_check(&info, 0, long_ago_ns, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "still:0: by its time stamps a batch took no time"));
}

// Given time stamps of 32 bits in ns, which wrap after 4.29 s, when work of 5 s seems to have taken
// 0.7 s, then that is an error. Shorter waits and wider time stamps leave no doubt.
static void time_stamps_that_may_have_wrapped_are_an_error(void **state)
{
    (void)state;
    struct gpu_info info = {.id = "narrow:0", .limits = {.stamp_bits = 32, .stamp_step_ps = 1000}};
    struct error err = {0};
    // it began later, so that a busy machine makes no difference
    uint64_t later_ns = clock_now_ns() + 3600 * NS_PER_S;
    uint64_t began_ns = clock_now_ns() - 5 * NS_PER_S;
    assert_false(measure_unit_check(&info, 0.7e9, began_ns, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "narrow:0: by its time stamps a batch took 0.7 s, but the "
                                        "host waited 5"));
    assert_true(measure_unit_check(&info, 0.7e9, later_ns, &err));
    info.limits.stamp_bits = 36;
    assert_true(measure_unit_check(&info, 0.7e9, began_ns, &err));
    info.limits.stamp_bits = 64;
    assert_true(measure_unit_check(&info, 0.7e9, began_ns, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_grow_in_proportion_between_bounds),
        cmocka_unit_test(grids_hold_all_workgroups_in_rows_that_the_device_has),
        cmocka_unit_test(a_count_that_breaks_a_rule_names_the_rule),
        cmocka_unit_test(work_that_takes_no_time_although_the_host_waited_is_an_error),
        cmocka_unit_test(time_stamps_that_may_have_wrapped_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
