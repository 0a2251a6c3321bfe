// SPDX-License-Identifier: MIT
// Whether what a card says of its limits is of the samples beside which it says so.
#include "suite/card.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_clock_two_steps_lower_is_slowed(void **state)
{
    (void)state;
    assert_true(card_is_slowed(1875e6, 1980e6));
    assert_true(card_is_slowed(1935e6, 1980e6));
    assert_false(card_is_slowed(1965e6, 1980e6));
    assert_false(card_is_slowed(1980e6, 1980e6));
}

static void a_clock_that_nobody_saw_may_have_been_slow(void **state)
{
    (void)state;
    assert_true(card_is_slowed(NAN, 1980e6));
    assert_true(card_is_slowed(1980e6, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_two_steps_lower_is_slowed),
        cmocka_unit_test(a_clock_that_nobody_saw_may_have_been_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
