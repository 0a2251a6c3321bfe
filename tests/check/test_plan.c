// SPDX-License-Identifier: MIT
// The time that a check plans for each of its parts.
#include "suite/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double whole_s(size_t devices)
{
    return check_plan_s(devices, CHECK_ALONE) + check_plan_s(devices, CHECK_AT_ONCE);
}

static void two_cards_take_20_seconds_and_5_if_quick(void **state)
{
    (void)state;
    assert_true(whole_s(1) <= 15);
    assert_true(whole_s(2) <= 20);
    assert_true(check_plan_s(2, CHECK_ALONE_QUICK) <= 5);
}

// Links are measured one after the other, so more cards take longer, but always less than the
// deadline.
static void more_cards_take_longer_by_their_links_alone(void **state)
{
    (void)state;
    double link_s = whole_s(3) - whole_s(2);
    assert_true(link_s > 0 && link_s < 3);
    assert_true(whole_s(8) - whole_s(2) - 6 * link_s < 0.001);
    assert_true(whole_s(8) < CHECK_DEADLINE_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cards_take_20_seconds_and_5_if_quick),
        cmocka_unit_test(more_cards_take_longer_by_their_links_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
