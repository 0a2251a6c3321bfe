// SPDX-License-Identifier: MIT
// Tests what reaches the file when a text is written directly to it.
#include "cli/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

// Given a process that may open no files any more, so that poll() fails, when a text is written,
// then the text is there.
static void a_text_is_written_though_poll_fails(void **state)
{
    (void)state;
    int ends[2];
    char seen[16] = "";
    struct rlimit former, none;
    struct interrupt interrupt;
    struct error err;
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    assert_non_null(stream);
    assert_true(interrupt_init_own(&interrupt, &err));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &former), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = former.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);

    bool written = terminal_write(stream, "text", 4, &interrupt);

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &former), 0);
    fclose(stream);
    assert_true(written);
    assert_int_equal(read(ends[0], seen, sizeof seen), 4);
    assert_string_equal(seen, "text");
    close(ends[0]);
    interrupt_fini(&interrupt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_written_though_poll_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
