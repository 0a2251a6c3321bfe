// SPDX-License-Identifier: MIT
// Counts loads in the innermost loop of a listing in the form that Mesa prints.
#include "measure/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char listing[] = "---- Assembly\n"
                              "BB0:\n"
                              "\ts_load_dwordx4 s[0:3], s[2:3], 0x0 ; f4080001\n"
                              "BB1:\n"
                              "\tglobal_load_dword v9, v[1:2], off ; dc308000\n"
                              "BB2:\n"
                              "\ts_load_dwordx4 s[0:3], s[2:3], 0x0 ; f4080001\n"
                              "\tbuffer_load_dwordx4 v[3:6], v0, s[0:3], 0 offen ; e0381000\n"
                              "\tbuffer_load_dwordx4 v[7:10], v0, s[0:3], 0 offen ; e0381000\n"
                              "\tbuffer_load_dword v11, v0, s[0:3], 0 offen ; e0301000\n"
                              "\tv_add_f32_e32 v1, v3, v1 ; 06020303\n"
                              "\ts_cbranch_scc1 BB2 ; bf85fff0\n"
                              "\ts_cbranch_scc1 BB1 ; bf85fff0\n"
                              "\tglobal_store_dword v1, v2, off ; dc708000\n"
                              "\ts_endpgm ; bf810000\n";

static void the_inner_loop_counts_without_descriptors(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct isa_loads loads;
    assert_true(isa_loop_loads(arena, listing, &loads));
    assert_int_equal(loads.count, 3);
    assert_string_equal(loads.text, "2 × buffer_load_dwordx4, 1 × buffer_load_dword");
    arena_destroy(arena);
}

static void scalar_loads_count_where_there_are_no_others(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct isa_loads loads;
    assert_true(isa_loop_loads(arena,
                               "BB1:\n\ts_load_dwordx4 s[0:3], s[2:3], 0x0\n"
                               "\ts_cbranch_scc0 BB1\n",
                               &loads));
    assert_string_equal(loads.text, "1 × s_load_dwordx4");
    arena_destroy(arena);
}

// RDNA 3 and newer name the same loads by their bits.
static void loads_of_newer_cards_have_other_names(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct isa_loads loads;
    assert_true(isa_loop_loads(arena,
                               "BB1:\n\ts_load_b128 s[0:3], s[2:3], 0x0\n"
                               "\ts_load_b256 s[8:15], s[2:3], 0x20\n"
                               "\tbuffer_load_b128 v[3:6], v0, s[0:3], 0 offen\n"
                               "\tds_load_b32 v7, v1\n"
                               "\ts_cbranch_scc1 BB1\n",
                               &loads));
    assert_int_equal(loads.count, 2);
    assert_string_equal(loads.text, "1 × buffer_load_b128, 1 × ds_load_b32");
    arena_destroy(arena);
}

static void what_is_not_understood_says_nothing(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct isa_loads loads;
    assert_false(isa_loop_loads(arena, "", &loads));
    assert_false(isa_loop_loads(arena, "Register Count: 32\n", &loads));
    assert_false(isa_loop_loads(arena, "send(16) g2UD g3UD 0x02106e02\n", &loads));
    // A branch forwards is no loop, and a branch to a missing block is none either.
    assert_false(isa_loop_loads(
        arena, "\ts_branch BB1\n\tbuffer_load_dword v0\nBB1:\n\ts_branch BB7\n", &loads));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inner_loop_counts_without_descriptors),
        cmocka_unit_test(scalar_loads_count_where_there_are_no_others),
        cmocka_unit_test(loads_of_newer_cards_have_other_names),
        cmocka_unit_test(what_is_not_understood_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
