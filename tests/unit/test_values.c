// SPDX-License-Identifier: MIT
#include "bench/values.h"
#include "results/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct param_info bytes = {.key = "bytes", .type = PARAM_BYTES};
static const struct param_info count = {.key = "count", .type = PARAM_UINT};
static const struct param_info ratio = {.key = "ratio", .type = PARAM_REAL};
static const struct param_info path = {
    .key = "path", .type = PARAM_TEXT, .choices = "vector|scalar|shared"};
static const struct param_info word = {.key = "word", .type = PARAM_TEXT};

static struct arena *arena;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

static void assert_integers(const struct param_info *param, const char *text,
                            const uint64_t *expected, size_t expected_count)
{
    struct value_list list;
    struct error err = {0};
    if (!values_parse(arena, param, text, &list, &err))
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(list.count, expected_count);
    for (size_t i = 0; i < list.count; i++) {
        assert_true(list.values[i].uint == expected[i]);
        assert_string_equal(list.values[i].key, param->key);
        assert_int_equal(list.values[i].type, param->type);
    }
}

#define ASSERT_INTEGERS(param, text, ...)                                                          \
    assert_integers(param, text, (const uint64_t[]){__VA_ARGS__},                                  \
                    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void assert_refused(const struct param_info *param, const char *text, const char *part)
{
    struct value_list list;
    struct error err = {0};
    if (values_parse(arena, param, text, &list, &err))
        fail_msg("'%s' was taken", text);
    assert_int_equal(err.code, ERROR_USAGE);
    if (!strstr(err.message, part))
        fail_msg("'%s' says nothing of '%s'", err.message, part);
}

static void lists_keep_their_order_and_drop_repetitions(void **state)
{
    (void)state;
    ASSERT_INTEGERS(&count, "4,2,4,1", 4, 2, 1);
    ASSERT_INTEGERS(&bytes, "4KiB,1MiB,512,4096", 4096, 1 << 20, 512);
}

static void ranges_double_and_include_both_ends(void **state)
{
    (void)state;
    ASSERT_INTEGERS(&count, "1..8", 1, 2, 4, 8);
    ASSERT_INTEGERS(&count, "3..20", 3, 6, 12, 20);
    ASSERT_INTEGERS(&count, "5..5", 5);
    ASSERT_INTEGERS(&bytes, "1KiB..4KiB/1", 1024, 2048, 4096);
}

static void ranges_go_in_equal_steps_too(void **state)
{
    (void)state;
    ASSERT_INTEGERS(&count, "1..5+1", 1, 2, 3, 4, 5);
    ASSERT_INTEGERS(&count, "2..9+3", 2, 5, 8, 9);
    ASSERT_INTEGERS(&count, "7..7+2", 7);
    ASSERT_INTEGERS(&bytes, "1KiB..3KiB+1KiB", 1024, 2048, 3072);
    assert_refused(&count, "1..5+0", "step");
    assert_refused(&count, "1..5+x", "step");
    assert_refused(&count, "1..max+1", "more than");
}

static void points_between_octaves_are_evenly_spaced_and_round(void **state)
{
    (void)state;
    // 2^(1/4), 2^(2/4) and 2^(3/4), rounded to 64ths of a power of two
    ASSERT_INTEGERS(&bytes, "1KiB..2KiB/4", 1024, 1216, 1456, 1728, 2048);
    // 1.41 is rounded to 1, which is there already.
    ASSERT_INTEGERS(&count, "1..8/2", 1, 2, 3, 4, 6, 8);
}

static void a_full_curve_is_strictly_ascending(void **state)
{
    (void)state;
    struct value_list list;
    struct error err = {0};
    assert_true(values_parse(arena, &bytes, "1KiB..4GiB/12", &list, &err));
    assert_int_equal(list.count, 22 * 12 + 1);
    for (size_t i = 1; i < list.count; i++) {
        double step = (double)list.values[i].uint / (double)list.values[i - 1].uint;
        assert_true(step > 1.04 && step < 1.08); // 2^(1/12) = 1.0595
    }
}

static void max_stands_for_what_the_device_allows(void **state)
{
    (void)state;
    ASSERT_INTEGERS(&bytes, "1KiB,max", 1024, UINT64_MAX);
    struct value_list list;
    struct error err = {0};
    assert_true(values_parse(arena, &bytes, "1KiB..max/4", &list, &err));
    assert_true(list.values[list.count - 1].uint == UINT64_MAX);
    assert_true(list.values[list.count - 2].uint > UINT64_MAX / 4);
    for (size_t i = 1; i < list.count; i++)
        assert_true(list.values[i].uint > list.values[i - 1].uint);
}

static void reals_have_ranges_too(void **state)
{
    (void)state;
    struct value_list list;
    struct error err = {0};
    assert_true(values_parse(arena, &ratio, "-1.5,0.25..1e+0/2", &list, &err));
    assert_int_equal(list.count, 6);
    const double expected[] = {-1.5, 0.25, 0.353553, 0.5, 0.707107, 1};
    for (size_t i = 0; i < list.count; i++)
        assert_float_equal((float)list.values[i].real, (float)expected[i], 1e-5f);
}

static void words_are_checked_against_the_choices(void **state)
{
    (void)state;
    struct value_list list;
    struct error err = {0};
    assert_true(values_parse(arena, &path, "shared,vector", &list, &err));
    assert_string_equal(list.values[0].text, "shared");
    assert_true(values_parse(arena, &word, "any..thing/goes", &list, &err));
    assert_string_equal(list.values[0].text, "any..thing/goes");
    assert_refused(&path, "vectr", "did you mean 'vector'?");
    assert_refused(&path, "vector|scalar", "vector|scalar|shared");
    assert_refused(&path, "", "no such choice");
    assert_refused(&word, "a,,b", "a word");
}

static void a_value_says_which_choice_it_is(void **state)
{
    (void)state;
    const struct param_info width = {.key = "width", .type = PARAM_UINT, .choices = "4|8|16"};
    const struct param_info scenario = {
        .key = "scenario", .type = PARAM_TEXT, .choices = "default|FILE"};
    struct value_list list;
    struct error err;
    assert_true(values_parse(arena, &path, "shared,vector", &list, &err));
    assert_int_equal(list.values[0].choice, 2);
    assert_int_equal(list.values[1].choice, 0);
    assert_true(values_parse(arena, &width, "8", &list, &err));
    assert_int_equal(list.values[0].choice, 1);
    assert_true(values_parse(arena, &scenario, "here/frame.json", &list, &err));
    assert_int_equal(list.values[0].choice, 1);
}

static void numbers_are_checked_against_what_is_declared(void **state)
{
    (void)state;
    const struct param_info width = {.key = "width", .type = PARAM_UINT, .choices = "4|8|16"};
    const struct param_info chains = {
        .key = "chains", .type = PARAM_UINT, .least = 1, .most = 8, .power_of_two = true};
    const struct param_info size = {.key = "size",
                                    .type = PARAM_BYTES,
                                    .least = 16,
                                    .most = 64,
                                    .multiple = 16,
                                    .takes_max = true};
    const struct param_info seconds = {.key = "seconds", .type = PARAM_REAL, .most = 60};
    struct value_list list;
    struct error err = {0};
    assert_refused(&width, "12", "width=12: no such choice; it is one of 4|8|16");
    assert_refused(&chains, "0", "chains=0: expected a power of two from 1 to 8");
    assert_refused(&chains, "6", "a power of two");
    assert_refused(&chains, "16", "from 1 to 8");
    assert_refused(&chains, "max", "chains=max");
    assert_refused(&size, "24", "a multiple of 16 B from 16 B to 64 B, or max");
    assert_refused(&size, "80", "size=80 B");
    assert_refused(&seconds, "-1", "seconds=-1: expected a number from 0 to 60");
    assert_refused(&seconds, "1e300", "seconds=1e+300: expected a number from 0 to 60");
    assert_refused(&seconds, "16..64", "seconds=64");
    assert_true(values_parse(arena, &seconds, "0,2.5,60", &list, &err));
    assert_int_equal(list.count, 3);
    ASSERT_INTEGERS(&chains, "1..8", 1, 2, 4, 8);
    ASSERT_INTEGERS(&size, "16..max", 16, 32, 64, UINT64_MAX); // no value is above `most`
    ASSERT_INTEGERS(&size, "16..max+16", 16, 32, 48, 64, UINT64_MAX);
}

static void what_does_not_parse_is_named_with_what_would(void **state)
{
    (void)state;
    assert_refused(&bytes, "32KB", "bytes=32KB: expected bytes such as 32KiB");
    assert_refused(&bytes, "", "expected bytes");
    assert_refused(&bytes, "1,", "expected bytes");
    assert_refused(&bytes, "1..2..4", "1..2..4");
    assert_refused(&bytes, "..4", "..4");
    assert_refused(&bytes, "4KiB..1KiB", "upward");
    assert_refused(&bytes, "0..4", "above 0");
    assert_refused(&bytes, "1..4/0", "1 to 64");
    assert_refused(&bytes, "1..4/65", "1 to 64");
    assert_refused(&bytes, "1..4/x", "1 to 64");
    assert_refused(&count, "4KiB", "whole number");
    assert_refused(&count, "1.5", "whole number");
    assert_refused(&ratio, "max", "a number");
    assert_refused(&ratio, "-1..1", "above 0");
    assert_refused(&ratio, "nan", "a number");
}

static void no_parameter_takes_more_values_than_fit(void **state)
{
    (void)state;
    assert_refused(&ratio, "1e-300..1e300/64", "coarser");
    ASSERT_INTEGERS(&count, "18446744073709551615", UINT64_MAX);
}

// The text of a file is one value, even with commas. People see the name that is in the file.
static void the_text_of_a_file_is_a_value(void **state)
{
    (void)state;
    static const struct param_info scenario = {
        .key = "scenario", .type = PARAM_TEXT, .choices = "default|FILE"};
    static const char text[] = "{\"name\": \"my own, a\", \"workloads\": []}";
    struct value_list list;
    struct error err = {0};
    assert_true(values_parse(arena, &scenario, text, &list, &err));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.values[0].text, text);
    assert_int_equal(list.values[0].choice, 1);
    assert_string_equal(case_value_text(arena, &list.values[0]), text);
    assert_string_equal(case_value_shown(arena, &list.values[0]), "my own, a");
    list.values[0].text = "{\"name\": 7}";
    assert_string_equal(case_value_shown(arena, &list.values[0]), "unnamed");
    list.values[0].text = "default";
    assert_string_equal(case_value_shown(arena, &list.values[0]), "default");
    assert_refused(&path, text, "no such choice"); // this parameter takes no file
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_keep_their_order_and_drop_repetitions),
        cmocka_unit_test(ranges_double_and_include_both_ends),
        cmocka_unit_test(ranges_go_in_equal_steps_too),
        cmocka_unit_test(points_between_octaves_are_evenly_spaced_and_round),
        cmocka_unit_test(a_full_curve_is_strictly_ascending),
        cmocka_unit_test(max_stands_for_what_the_device_allows),
        cmocka_unit_test(reals_have_ranges_too),
        cmocka_unit_test(words_are_checked_against_the_choices),
        cmocka_unit_test(a_value_says_which_choice_it_is),
        cmocka_unit_test(numbers_are_checked_against_what_is_declared),
        cmocka_unit_test(what_does_not_parse_is_named_with_what_would),
        cmocka_unit_test(no_parameter_takes_more_values_than_fit),
        cmocka_unit_test(the_text_of_a_file_is_a_value),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
