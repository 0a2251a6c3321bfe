// SPDX-License-Identifier: MIT
// Each crash happens in a process of its own, whose standard input is a socket, as it is in a
// child.
#include "base/crash.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void write_to_nowhere(void)
{
    int *volatile nowhere = (int *)8; // a value that the compiler does not know
    *nowhere = 1;
}

static void call_nowhere(void)
{
    void (*volatile nowhere)(void) = NULL;
    nowhere();
}

// A frame that the compiler cannot merge with the next one. ThreadSanitizer must not call its
// library here: the stack could end inside that library, and its file would be named.
__attribute__((no_sanitize("thread"))) static int overflow(volatile int *depth)
{
    volatile int local[1024] = {*depth};
    if (*depth == 0)
        return 0; // is never reached
    return overflow(local) + local[0];
}

static void run_out_of_stack(void)
{
    overflow((volatile int[]){1});
}

// Crashes in a process and returns its signal. `line` becomes the line that it sent before.
static int crash(void (*how)(void), char line[256])
{
    int ends[2], status;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        crash_announce();
        how();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (used < 255 && (got = read(ends[0], line + used, 255 - used)) > 0)
        used += (size_t)got;
    line[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return WTERMSIG(status);
}

static void the_file_of_the_instruction_is_named(void **state)
{
    (void)state;
    char line[256];
    assert_int_equal(crash(write_to_nowhere, line), SIGSEGV);
    assert_string_equal(line, "crash in test_crash\n");
}

static void a_stack_that_ran_over_is_named_too(void **state)
{
    (void)state;
    char line[256];
    assert_int_equal(crash(run_out_of_stack, line), SIGSEGV);
    assert_string_equal(line, "crash in test_crash\n");
}

static void an_instruction_in_no_file_has_no_name(void **state)
{
    (void)state;
    char line[256];
    assert_int_equal(crash(call_nowhere, line), SIGSEGV);
    assert_string_equal(line, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_of_the_instruction_is_named),
        cmocka_unit_test(a_stack_that_ran_over_is_named_too),
        cmocka_unit_test(an_instruction_in_no_file_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
