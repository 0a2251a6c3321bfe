// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void distance_counts_single_edits(void **state)
{
    (void)state;
    assert_int_equal(text_distance("latency", "latency"), 0);
    assert_int_equal(text_distance("latency", "latncy"), 1);
    assert_int_equal(text_distance("latency", "latencyy"), 1);
    assert_int_equal(text_distance("latency", "latenyc"), 1); // two letters swapped
    assert_int_equal(text_distance("Latency", "lAtency"), 0);
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
}

static const char *guess(const char *typed)
{
    static const char *const names[] = {"latency", "bandwidth", "loads", "launch", "stream"};
    struct text_guess guess = {.typed = typed};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        text_guess_offer(&guess, names[i]);
    return guess.best ? guess.best : "-";
}

static void only_a_near_name_is_guessed(void **state)
{
    (void)state;
    assert_string_equal(guess("latnecy"), "latency");
    assert_string_equal(guess("bandwith"), "bandwidth");
    assert_string_equal(guess("band"), "bandwidth"); // the beginning of the name
    assert_string_equal(guess("load"), "loads");
    assert_string_equal(guess("xyzzy"), "-");
    assert_string_equal(guess("q"), "-");
}

static void numbers_are_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    uint64_t number = 7;
    assert_true(text_parse_uint("18446744073709551615", &number));
    assert_true(number == UINT64_MAX);
    const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "1x", "0x10", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(text_parse_uint(bad[i], &number));
    assert_true(number == UINT64_MAX); // unchanged

    double real = 0;
    assert_true(text_parse_real("-2.5e3", &real));
    assert_true(real == -2500);
    assert_false(text_parse_real("nan", &real));
    assert_false(text_parse_real("1e999", &real));
    assert_false(text_parse_real("", &real));
}

static void sizes_know_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"512", 512},
                {"512B", 512},
                {"1KiB", 1024},
                {"1k", 1024},
                {"3MiB", 3 << 20},
                {"4GiB", 4ull << 30},
                {"4G", 4ull << 30},
                {"2TiB", 2ull << 40}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 1;
        assert_true(text_parse_bytes(good[i].text, &bytes));
        assert_true(bytes == good[i].bytes);
    }
    const char *const bad[] = {"",      "KiB",   "1.5KiB", "1KB",
                               "1kib2", "-1KiB", "1XiB",   "17179869184GiB" /* 2^64 */};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes;
        assert_false(text_parse_bytes(bad[i], &bytes));
    }
}

static void exact_sizes_are_shown_short(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(text_bytes(arena, 32768), "32 KiB");
    assert_string_equal(text_bytes(arena, 1000), "1000 B");
    assert_string_equal(text_bytes(arena, 0), "0 B");
    assert_string_equal(text_bytes(arena, UINT64_C(1) << 32), "4 GiB");
    arena_destroy(arena);
}

static void a_noun_goes_with_its_number(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(text_count(arena, 0, "card"), "0 cards");
    assert_string_equal(text_count(arena, 1, "card"), "1 card");
    assert_string_equal(text_count(arena, 2, "card"), "2 cards");
    arena_destroy(arena);
}

static void parts_are_found_in_any_case(void **state)
{
    (void)state;
    assert_true(text_contains("NVIDIA H200", "h200"));
    assert_false(text_contains("NVIDIA H200", "h100"));
    assert_true(text_contains("x", ""));
    assert_true(text_same("cuda", "cuda") && text_same(NULL, NULL));
    assert_false(text_same("cuda", "cuda:0") || text_same("", NULL) || text_same(NULL, ""));
    assert_true(text_begins("vulkan:0", "vulkan:"));
    assert_false(text_begins("vul", "vulkan"));
    assert_true(text_ends("run.json.gz", ".gz"));
    assert_false(text_ends("run.gz.json", ".gz"));
    assert_false(text_ends("gz", ".gz"));
}

// Given a file of two lines, an empty file and a missing file, when the first line of each is read,
// then only the first file has one. It has no newline and is cut to the size of the buffer.
static void the_first_line_of_a_file_is_read(void **state)
{
    (void)state;
    char path[] = "/tmp/fathom_text_XXXXXX", line[16], small[4];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_false(text_read_line(line, sizeof line, "%s", path));
    assert_int_equal(write(fd, "16.0 GT/s\nx\n", 12), 12);
    close(fd);
    assert_true(text_read_line(line, sizeof line, "/%s", path));
    assert_string_equal(line, "16.0 GT/s");
    assert_true(text_read_line(small, sizeof small, "%s", path));
    assert_string_equal(small, "16.");
    unlink(path);
    assert_false(text_read_line(line, sizeof line, "%s", path));
}

static void assert_shown(const char *text, const char *shown)
{
    struct arena *arena = arena_create();
    assert_string_equal(text_printable(arena, text, SIZE_MAX), shown);
    arena_destroy(arena);
}

static void foreign_text_is_safe_to_print(void **state)
{
    (void)state;
    assert_shown("NVIDIA H200 \xc2\xb5 \xe2\x82\xac \xf0\x9f\x98\x80", "NVIDIA H200 µ € 😀");
    assert_shown("\x1b[2J\x07\n\t\x7f", "\\x1b[2J\\x07\\x0a\\x09\\x7f");
    const char hidden[] = {'\xc2', '\x9b', '[',    'm',    ' ',    '\xe2', '\x80',
                           '\xae', ' ',    '\xe2', '\x81', '\xa6', '\0'};
    assert_shown(hidden, "\\u009b[m \\u202e \\u2066");
    assert_shown("\xff\xc3(\xed\xa0\x80\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd("
                                                  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                                  "\xef\xbf\xbd\xef\xbf\xbd");
}

static void printable_text_is_cut_between_characters(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(text_printable(arena, "a\xc3\xa4\xc3\xb6", 5), "a\xc3\xa4");
    assert_string_equal(text_printable(arena, "a\x1bz", 5), "a");
    assert_string_equal(text_printable(arena, "abcd", 5), "abcd");
    arena_destroy(arena);
}

static void text_between_tags_is_no_markup(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(text_markup(arena, "a & <b>\x1b\xc2\xb5"), "a &amp; &lt;b&gt;?\xc2\xb5");
    assert_string_equal(text_markup(arena, ""), "");
    // what XML forbids, and what turns the text behind it
    assert_string_equal(text_markup(arena, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xff"),
                        "??\xef\xbf\xbd?");
    assert_string_equal(
        text_markup(arena, "\xe2\x80\xae\xd7\xa2<\xf0\x9f\x9a\x80\xc2\x85\xe2\x80\xac"),
        "?\xd7\xa2&lt;\xf0\x9f\x9a\x80??");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_single_edits),
        cmocka_unit_test(only_a_near_name_is_guessed),
        cmocka_unit_test(numbers_are_taken_whole_or_not_at_all),
        cmocka_unit_test(sizes_know_their_units),
        cmocka_unit_test(exact_sizes_are_shown_short),
        cmocka_unit_test(a_noun_goes_with_its_number),
        cmocka_unit_test(parts_are_found_in_any_case),
        cmocka_unit_test(the_first_line_of_a_file_is_read),
        cmocka_unit_test(foreign_text_is_safe_to_print),
        cmocka_unit_test(printable_text_is_cut_between_characters),
        cmocka_unit_test(text_between_tags_is_no_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
