// SPDX-License-Identifier: MIT
// Tests error values: messages that are too long, prefixes, and several errors in one.
#include "base/error.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_long_message_is_cut_to_an_ellipsis(void **state)
{
    (void)state;
    struct error err;
    char text[2 * ERROR_MESSAGE_BYTES + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(error_set(&err, ERROR_IO, "%s", text));
    assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
    assert_true(text_ends(err.message, "xxx…"));
    assert_false(error_prefix(&err, "reading"));
    assert_int_equal(err.code, ERROR_IO);
    assert_true(text_begins(err.message, "reading: xxx"));
    assert_true(text_ends(err.message, "xxx…"));
}

// Given a message of characters of two bytes, when it is cut at any byte, then no half of a
// character stays before the ellipsis.
static void a_message_is_cut_between_characters(void **state)
{
    (void)state;
    char text[2 * ERROR_MESSAGE_BYTES + 1];
    for (size_t i = 0; i < sizeof text - 1; i += 2)
        memcpy(text + i, "µ", 2);
    text[sizeof text - 1] = '\0';
    for (int first = 0; first < 4; first++) {
        struct error err;
        assert_false(error_set(&err, ERROR_IO, "%.*s%s", first, "abc", text));
        for (const char *at = err.message; *at; at += text_character(at))
            assert_int_not_equal(text_character(at), 0);
        assert_true(text_ends(err.message, "µ…"));
    }
}

static void errors_are_joined_under_the_first_code(void **state)
{
    (void)state;
    struct error all = {.code = ERROR_NONE}, one;
    error_add(&all, &(struct error){.code = ERROR_NONE});
    assert_int_equal(all.code, ERROR_NONE);
    error_set(&one, ERROR_IO, "no file");
    error_add(&all, &one);
    error_set(&one, ERROR_TIMEOUT, "no answer");
    error_add(&all, &one);
    assert_int_equal(all.code, ERROR_IO);
    assert_string_equal(all.message, "no file; and no answer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_message_is_cut_to_an_ellipsis),
        cmocka_unit_test(a_message_is_cut_between_characters),
        cmocka_unit_test(errors_are_joined_under_the_first_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
