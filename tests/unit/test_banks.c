// SPDX-License-Identifier: MIT
// Finds the number of banks from the times that loads take on simulated hardware.
#include "analysis/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    STRIDES_MAX = 256
};

// Returns how many of 32 threads use the bank that most threads use.
static double turns(unsigned stride, unsigned banks)
{
    unsigned users[STRIDES_MAX] = {0}, most = 0;
    for (unsigned t = 0; t < 32; t++) {
        unsigned *user = &users[t * stride % banks];
        most = ++*user > most ? *user : most;
    }
    return most;
}

static unsigned count_up_to(unsigned banks, unsigned strides, double cost_of_odd)
{
    double x[STRIDES_MAX], y[STRIDES_MAX];
    for (unsigned i = 0; i < strides; i++) {
        x[i] = i + 1;
        y[i] = 1.01 * turns(i + 1, banks) * (i && i % 2 == 0 ? cost_of_odd : 1);
    }
    return banks_count(&(struct banks_curve){x, y, strides});
}

static void banks_are_where_time_grows_no_further(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(16, 64, 1), 16);
    assert_int_equal(count_up_to(32, 64, 1), 32);
    assert_int_equal(count_up_to(64, 128, 1), 64);
}

static void what_was_not_measured_far_enough_gives_none(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(64, 64, 1), 0);
    assert_int_equal(count_up_to(32, 32, 1), 0);
    assert_int_equal(count_up_to(32, 1, 1), 0);
    assert_int_equal(banks_count(&(struct banks_curve){0}), 0);
}

static void what_is_no_conflict_of_banks_gives_none(void **state)
{
    (void)state;
    assert_int_equal(count_up_to(1, 64, 1), 0); // all strides take the same time
    assert_int_equal(count_up_to(32, 64, 1.6), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_are_where_time_grows_no_further),
        cmocka_unit_test(what_was_not_measured_far_enough_gives_none),
        cmocka_unit_test(what_is_no_conflict_of_banks_gives_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
