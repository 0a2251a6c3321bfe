// SPDX-License-Identifier: MIT
// Tests the texts of which tables on a screen are made.
#include "report/screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void times_of_day_are_local_with_their_zone(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_int_equal(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
    assert_string_equal(screen_time(arena, "2026-01-02T03:04:05Z"), "2026-01-02T04:04:05+01:00");
    assert_string_equal(screen_time(arena, "2026-07-01T23:00:00Z"), "2026-07-02T01:00:00+02:00");
    assert_string_equal(screen_time(arena, "2024-02-29T22:59:59Z"), "2024-02-29T23:59:59+01:00");
    assert_string_equal(screen_time(arena, "2000-02-29T23:00:00Z"), "2000-03-01T00:00:00+01:00");
    assert_int_equal(setenv("TZ", "NST3:30", 1), 0);
    assert_string_equal(screen_time(arena, "1970-01-01T00:00:00Z"), "1969-12-31T20:30:00-03:30");
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    for (const char *const *same = (const char *const[]){"2026-01-02T03:04:05Z", "yesterday", "",
                                                         "2026-13-02T03:04:05Z", NULL};
         *same; same++)
        assert_string_equal(screen_time(arena, *same), *same);
    assert_string_equal(screen_time(arena, NULL), "");
    arena_destroy(arena);
}

static void a_text_is_cut_at_characters(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(screen_quote(arena, "größer", 6), "größer");
    assert_string_equal(screen_quote(arena, "größer", 5), "größ…");
    assert_string_equal(screen_quote(arena, "a\tb", 9), "a?b");
    assert_string_equal(screen_quote(arena, "abc", 0), "");
    assert_string_equal(screen_quote(arena, "", 4), "");
    arena_destroy(arena);
}

static void a_byte_that_is_not_utf8_takes_one_column(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(screen_quote(arena, "a\x80\xffz", 9), "a??z");
    char stray[200] = "a";
    memset(stray + 1, 0x80, sizeof stray - 2);
    assert_string_equal(screen_quote(arena, stray, 5), "a???…");
    arena_destroy(arena);
}

static void only_the_screen_itself_commands_the_terminal(void **state)
{
    (void)state;
    // given a screen with a coloured word, and a text from elsewhere with control characters
    struct screen screen;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    screen_init(&screen, true, 0);
    screen_paint(&screen, PAINT_RED, "no");
    fputs(" \x1b[2Ja\x9b\xc2\x9b\x07 größer \xe2\x80\xae \n\nb", screen.stream);
    // when it is written
    screen_finish(&screen, stream);
    fclose(stream);
    // then the colour stays, and a "?" is in the place of each other control character
    assert_string_equal(text, "\x1b[31mno\x1b[0m ?[2Ja??? größer ?\n\nb");
    free(text);
}

static void lines_are_broken_only_on_a_narrow_screen(void **state)
{
    (void)state;
    static const char line[] =
        "  größer als der schmale Schirm: 12.5 GB/s, siebenundzwanzigundmehr";
    static const struct {
        unsigned columns;
        const char *text;
    } cases[] = {
        {0, line},
        {100, line},
        {40, "  größer als der schmale Schirm: 12.5\n    GB/s, siebenundzwanzigundmehr"},
        {60, "  größer als der schmale Schirm: 12.5 GB/s,\n    siebenundzwanzigundmehr"},
        {67, line},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        char *text = NULL;
        size_t bytes = 0;
        FILE *stream = open_memstream(&text, &bytes);
        screen_init(&screen, false, cases[i].columns);
        fputs(line, screen.stream);
        screen_finish(&screen, stream);
        fclose(stream);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void a_column_has_one_unit_and_enough_digits(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const double rates[] = {12.3e9, 4614e9, NAN};
    struct screen_scale scale = screen_scale_of(rates, 3, UNIT_BYTE_PER_S);
    assert_string_equal(scale.unit, "GB/s");
    assert_string_equal(screen_number(arena, rates[0], &scale), "12.3");
    assert_string_equal(screen_number(arena, rates[1], &scale), "4614.0");
    assert_string_equal(screen_number(arena, 1.2e6, &scale), "0.0012");
    assert_string_equal(screen_number(arena, NAN, &scale), "–");
    const double none[] = {NAN, 0};
    scale = screen_scale_of(none, 2, UNIT_NS);
    assert_string_equal(screen_number(arena, 0, &scale), "0.000");
    arena_destroy(arena);
}

static void a_short_number_has_three_digits_in_any_unit(void **state)
{
    (void)state;
    static const struct {
        double value;
        enum unit unit;
        const char *text;
    } shown[] = {
        {0.00803, UNIT_NS, "0.00803 ns"}, // two rays of different cost must not look alike
        {0.00856, UNIT_NS, "0.00856 ns"},
        {0.5775, UNIT_NS, "0.578 ns"},
        {9.996, UNIT_NS, "10.0 ns"},
        {99.96, UNIT_NS, "100 ns"},
        {999.4, UNIT_NS, "999 ns"},
        {999.7, UNIT_NS, "1.00 µs"}, // not 1000 ns
        {999.7e9, UNIT_BYTE_PER_S, "1.00 TB/s"},
        {-999.7, UNIT_NS, "-1.00 µs"},
        {1020 * 1024, UNIT_BYTE, "1020 KiB"},
        {1023.7 * 1024, UNIT_BYTE, "1.00 MiB"},
        {1999.7e15, UNIT_FLOP_PER_S, "2000 PFLOP/s"}, // there is no larger unit
        {2e-7, UNIT_NS, "2.00e-07 ns"},
        {0, UNIT_NS, "0 ns"},
        {NAN, UNIT_NS, "–"},
        {INFINITY, UNIT_BYTE, "–"},
    };
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_string_equal(screen_short(arena, shown[i].value, shown[i].unit), shown[i].text);
    arena_destroy(arena);
}

static void a_spark_fills_gaps_but_not_ends(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const double values[] = {NAN, 1, NAN, 8, NAN};
    assert_string_equal(screen_spark(arena, values, 5, 5, false), " ▁▁█");
    const double flat[] = {3, 3, 3};
    assert_string_equal(screen_spark(arena, flat, 3, 3, true), "▁▁▁");
    const double noise[] = {14.68, 14.67, 14.66, 14.90}, step[] = {14.5, 14.5, 15.0};
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        assert_string_equal(screen_spark(arena, noise, 4, 4, logarithmic), "▁▁▁▁"); // 1.6 %
        assert_string_equal(screen_spark(arena, step, 3, 3, logarithmic), "▁▁█");   // 3.3 %
    }
    const double wild[] = {0, -1, INFINITY};
    assert_string_equal(screen_spark(arena, wild, 3, 3, true), "");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_day_are_local_with_their_zone),
        cmocka_unit_test(a_text_is_cut_at_characters),
        cmocka_unit_test(a_byte_that_is_not_utf8_takes_one_column),
        cmocka_unit_test(only_the_screen_itself_commands_the_terminal),
        cmocka_unit_test(lines_are_broken_only_on_a_narrow_screen),
        cmocka_unit_test(a_column_has_one_unit_and_enough_digits),
        cmocka_unit_test(a_short_number_has_three_digits_in_any_unit),
        cmocka_unit_test(a_spark_fills_gaps_but_not_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
