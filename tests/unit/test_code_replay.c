// SPDX-License-Identifier: MIT
// Tests that the results of straight-line code show how many instructions ran, and which.
#include "bench/map.h"
#include "bench/map/probes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool differ(const struct code_ends *a, const struct code_ends *b)
{
    return a->words[0][CODE_CHAINS] != b->words[0][CODE_CHAINS] &&
           a->words[1][CODE_CHAINS] != b->words[1][CODE_CHAINS];
}

static void a_lap_more_or_a_longer_one_is_seen_by_every_thread(void **state)
{
    (void)state;
    for (uint32_t steps = 1; steps <= MAP_CODE_STEPS; steps++) {
        struct code_ends ends, more, longer;
        uint32_t length = map_code_length(steps);
        code_replay(length, 40, true, &ends);
        code_replay(length, 41, true, &more);
        code_replay(length + CODE_SHORTEST, 40, true, &longer);
        assert_true(differ(&ends, &more));
        assert_true(differ(&ends, &longer));
        assert_true(differ(&more, &longer));
    }
}

static void rounding_twice_ends_elsewhere(void **state)
{
    (void)state;
    struct code_ends fused, rounded;
    code_replay(1024, 4, true, &fused);
    code_replay(1024, 4, false, &rounded);
    assert_true(differ(&fused, &rounded));
}

static void values_do_not_grow(void **state)
{
    (void)state;
    for (uint64_t laps = 1; laps < 100; laps++) {
        struct code_ends ends;
        code_replay(256, laps, true, &ends);
        for (unsigned i = 0; i < 2 * CODE_CHAINS; i++) {
            float value;
            memcpy(&value, &ends.words[i / CODE_CHAINS][i % CODE_CHAINS], sizeof value);
            assert_true(value > -1.85f && value < 1.59f);
        }
    }
}

static void lengths_are_sixteen_an_octave(void **state)
{
    (void)state;
    assert_int_equal(map_code_length(1), CODE_SHORTEST);
    assert_int_equal(map_code_length(CODE_STEPS_1K), 1024);
    assert_int_equal(map_code_length(CODE_STEPS_8K), 8192);
    assert_int_equal(map_code_length(MAP_CODE_STEPS), 32768);
    for (uint32_t steps = 16; steps < MAP_CODE_STEPS; steps++)
        assert_true(16 * (map_code_length(steps + 1) - map_code_length(steps)) <=
                    map_code_length(steps));
}

static void an_empty_lap_moves_no_chain_but_is_counted(void **state)
{
    (void)state;
    struct code_ends none, empty;
    code_replay(512, 0, true, &none);
    code_replay(0, 1000, true, &empty);
    for (unsigned odd = 0; odd < 2; odd++)
        assert_memory_equal(none.words[odd], empty.words[odd], CODE_CHAINS * sizeof(uint32_t));
    assert_true(differ(&none, &empty));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lap_more_or_a_longer_one_is_seen_by_every_thread),
        cmocka_unit_test(rounding_twice_ends_elsewhere),
        cmocka_unit_test(values_do_not_grow),
        cmocka_unit_test(lengths_are_sixteen_an_octave),
        cmocka_unit_test(an_empty_lap_moves_no_chain_but_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
