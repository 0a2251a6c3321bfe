// SPDX-License-Identifier: MIT
// A card by which it is asked for, and whether what it says of its limits is of the samples beside
// which it says so.
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

static void a_clock_two_steps_lower_is_slowed(void **state)
{
    (void)state;
    assert_true(measure_card_is_slowed(1875e6, 1980e6));
    assert_true(measure_card_is_slowed(1935e6, 1980e6));
    assert_false(measure_card_is_slowed(1965e6, 1980e6));
    assert_false(measure_card_is_slowed(1980e6, 1980e6));
}

static void a_clock_that_nobody_saw_may_have_been_slow(void **state)
{
    (void)state;
    assert_true(measure_card_is_slowed(NAN, 1980e6));
    assert_true(measure_card_is_slowed(1980e6, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_is_known_by_what_its_api_tells),
        cmocka_unit_test(a_clock_two_steps_lower_is_slowed),
        cmocka_unit_test(a_clock_that_nobody_saw_may_have_been_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
