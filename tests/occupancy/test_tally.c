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

static void put_record(uint32_t *record, uint64_t start, uint64_t end, uint32_t core)
{
    record[OCCUPANCY_RECORD_START] = (uint32_t)start;
    record[OCCUPANCY_RECORD_START + 1] = (uint32_t)(start >> 32);
    record[OCCUPANCY_RECORD_END] = (uint32_t)end;
    record[OCCUPANCY_RECORD_END + 1] = (uint32_t)(end >> 32);
    record[OCCUPANCY_RECORD_CORE] = core;
}

// Given a clock of 64 bits in steps of 32 ns, as on an H200, and a workgroup that began before
// workgroup 0, then each time is right to the ns. So is a clock of 36 bits that wraps meanwhile.
static void stays_are_as_exact_as_the_clock(void **state)
{
    (void)state;
    const uint64_t now = UINT64_C(1790000000000000000);
    const struct measure_clock wide = {.device_bits = 64, .device_tick_ns = 1};
    uint32_t records[2 * OCCUPANCY_RECORD_WORDS];
    struct occupancy_stay stays[2];
    put_record(records, now, now + 100032, 5);
    put_record(records + OCCUPANCY_RECORD_WORDS, now - 64, now + 99936, 6);
    occupancy_stays_of(&wide, records, 2, stays);
    assert_true(stays[0].start_ns == 0 && stays[0].end_ns == 100032);
    assert_true(stays[1].start_ns == -64 && stays[1].end_ns == 99936);
    assert_true(stays[0].core == 5 && stays[1].core == 6);

    const struct measure_clock narrow = {.device_bits = 36, .device_tick_ns = 10};
    const uint64_t last = (UINT64_C(1) << 36) - 1;
    put_record(records, last, 9, 5);
    put_record(records + OCCUPANCY_RECORD_WORDS, last - 2, last, 6);
    occupancy_stays_of(&narrow, records, 2, stays);
    assert_true(stays[0].start_ns == 0 && stays[0].end_ns == 100);
    assert_true(stays[1].start_ns == -20 && stays[1].end_ns == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_are_as_exact_as_the_clock),
        cmocka_unit_test(stays_on_one_core_count_together_and_on_two_apart),
        cmocka_unit_test(what_begins_when_another_ends_is_not_beside_it),
        cmocka_unit_test(a_core_was_full_only_when_another_workgroup_came_later),
        cmocka_unit_test(all_cores_alike_are_all_the_fullest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
