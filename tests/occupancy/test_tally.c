// SPDX-License-Identifier: MIT
// The counts that follow from stays of workgroups that are made by hand.
#include "bench/occupancy/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct occupancy_tally tally_of(const struct occupancy_stay *stays, size_t count)
{
    struct arena *arena = arena_create();
    struct occupancy_tally tally = occupancy_tally_of(arena, stays, count);
    arena_destroy(arena);
    return tally;
}

static void stays_on_one_core_count_together_and_on_two_apart(void **state)
{
    (void)state;
    const struct occupancy_stay stays[] = {
        {0, 100, 7}, {10, 110, 7}, {20, 90, 3}, {50, 120, 7}, {95, 130, 3}};
    struct occupancy_tally tally = tally_of(stays, 5);
    assert_int_equal(tally.cores, 2);
    assert_int_equal(tally.most, 3);
    assert_int_equal(tally.least, 1);
    assert_int_equal(tally.fullest, 1);
    assert_int_equal(tally.chip, 4);
    assert_true(tally.fill_ns == 50);
}

static void what_begins_when_another_ends_is_not_beside_it(void **state)
{
    (void)state;
    const struct occupancy_stay stays[] = {{0, 100, 0}, {100, 200, 0}, {200, 300, 0}};
    struct occupancy_tally tally = tally_of(stays, 3);
    assert_int_equal(tally.most, 1);
    assert_int_equal(tally.chip, 1);
}

static void a_core_was_full_only_when_another_workgroup_came_later(void **state)
{
    (void)state;
    const struct occupancy_stay all_at_once[] = {{0, 100, 0}, {5, 105, 0}};
    const struct occupancy_stay one_waited[] = {{0, 100, 0}, {5, 105, 0}, {101, 200, 0}};
    assert_false(tally_of(all_at_once, 2).refilled);
    assert_true(tally_of(one_waited, 3).refilled);
    assert_int_equal(tally_of(one_waited, 3).most, 2);
}

static void all_cores_alike_are_all_the_fullest(void **state)
{
    (void)state;
    struct occupancy_stay stays[64];
    for (uint32_t i = 0; i < 64; i++) // two times 4 on each of 8 cores
        stays[i] =
            (struct occupancy_stay){(i < 32 ? 0 : 100.0) + i % 32, i < 32 ? 100.0 : 200.0, i % 8};
    struct occupancy_tally tally = tally_of(stays, 64);
    assert_int_equal(tally.cores, 8);
    assert_int_equal(tally.most, 4);
    assert_int_equal(tally.least, 4);
    assert_int_equal(tally.fullest, 8);
    assert_int_equal(tally.chip, 32);
    assert_true(tally.refilled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_on_one_core_count_together_and_on_two_apart),
        cmocka_unit_test(what_begins_when_another_ends_is_not_beside_it),
        cmocka_unit_test(a_core_was_full_only_when_another_workgroup_came_later),
        cmocka_unit_test(all_cores_alike_are_all_the_fullest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
