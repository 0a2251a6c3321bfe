// SPDX-License-Identifier: MIT
// The children are shells, because a shell exists everywhere and can misbehave in every way that a
// test needs.
#include "base/child.h"
#include "base/clock.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct child *shell(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct error err = {0};
    struct child *child =
        child_create(&(struct child_desc){.argv = argv, .line_bytes_max = 1 << 20}, &err);
    if (!child)
        fail_msg("%s", err.message);
    return child;
}

static enum child_answer receive(struct child *child, const char **line)
{
    return child_receive(child, 600 * NS_PER_S, -1, line);
}

static void lines_go_both_ways(void **state)
{
    (void)state;
    struct error err = {0};
    const char *line = NULL;
    struct child *child = shell("while read line; do echo \"got $line\" >&0; done");
    assert_true(child_send(child, "one", NS_PER_S, &err));
    assert_true(child_send(child, "two", NS_PER_S, &err));
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "got one");
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "got two");
    child_destroy(child, NS_PER_S);
}

// Given an environment that a driver changes later, when a child starts with a copy made before,
// then the child does not see the change.
static void it_starts_in_the_environment_that_it_is_given(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/sh", "-c", "echo \"$TEST_DRIVERS\" >&0", NULL};
    struct error err = {0};
    const char *line = NULL;
    struct arena *arena = arena_create();
    assert_int_equal(setenv("TEST_DRIVERS", "one:two", 1), 0);
    struct child_desc desc = {.argv = argv, .environment = child_environment_copy(arena)};
    getenv("TEST_DRIVERS")[3] = '\0'; // Khronos' OpenCL loader changes its variable like this.

    struct child *child = child_create(&desc, &err);
    assert_non_null(child);
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "one:two");
    child_destroy(child, NS_PER_S);

    desc.environment = NULL;
    child = child_create(&desc, &err);
    assert_non_null(child);
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "one");
    child_destroy(child, NS_PER_S);
    arena_destroy(arena);
}

static void silence_ends_at_the_limit(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("sleep 600");
    uint64_t start_ns = clock_now_ns();
    assert_int_equal(child_receive(child, 50 * NS_PER_MS, -1, &line), CHILD_TIMEOUT);
    assert_true(clock_now_ns() - start_ns >= 50 * NS_PER_MS);
    // Does not wait for the sleep, which is longer than the test's time limit.
    child_destroy(child, 0);
}

static void death_is_told_with_the_last_words(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("echo noise; echo 'driver: assertion failed' >&2; kill -SEGV $$");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    const char *end_text = child_end_text(child);
    assert_non_null(strstr(end_text, "signal 11"));
    assert_non_null(strstr(end_text, "driver: assertion failed"));
    assert_null(strstr(end_text, "noise"));
    child_destroy(child, 0);

    child = shell("exit 3");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    assert_string_equal(child_end_text(child), "it ended with status 3");
    child_destroy(child, 0);
}

// Given a process that is stopped for 3 s while it waits 1 s for its child, then it still waits for
// that second afterwards: a shell stops its children, too.
static void time_in_which_this_process_is_stopped_does_not_count(void **state)
{
    (void)state;
    const uint64_t stopped_ns = 3 * NS_PER_S, limit_ns = NS_PER_S;
    int ready[2], status;
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t waiter = fork();
    if (waiter == 0) {
        const char *line;
        struct child *child = shell("read x");
        uint64_t start_ns = clock_now_ns();
        bool told = write(ready[1], &byte, 1) == 1;
        bool late = child_receive(child, limit_ns, -1, &line) == CHILD_TIMEOUT;
        _exit(told && late && clock_now_ns() - start_ns >= stopped_ns + limit_ns ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(waiter, SIGSTOP);
    clock_sleep_ns(stopped_ns);
    kill(waiter, SIGCONT);
    assert_int_equal(waitpid(waiter, &status, 0), waiter);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(ready[0]);
    close(ready[1]);
}

// Given a child that says in which file it crashes, then its end names the file, and the line is no
// answer. Of a name that no file has, only printable characters are left.
static void the_file_of_a_crash_is_told(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("echo one >&0; echo 'crash in libdriver.so.1' >&0; kill -SEGV $$");
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "one");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    assert_string_equal(child_end(child).crashed_in, "libdriver.so.1");
    assert_non_null(strstr(child_end_text(child), "(Segmentation fault) in libdriver.so.1"));
    child_destroy(child, 0);

    child = shell("printf 'crash in \\033[2J%0999d\\n' 7 >&0; kill -SEGV $$");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    struct child_end end = child_end(child);
    assert_int_equal(strlen(end.crashed_in), 63);
    assert_memory_equal(end.crashed_in, " [2J0000", 8);
    child_destroy(child, 0);

    child = shell("kill -SEGV $$");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    assert_string_equal(child_end(child).crashed_in, "");
    child_destroy(child, 0);
}

static void what_it_prints_never_reaches_the_channel(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("i=0; while [ $i -lt 3000 ]; do echo a driver that talks a lot and "
                                "would fill any pipe; i=$((i+1)); done; echo done >&0");
    assert_int_equal(receive(child, &line), CHILD_LINE);
    assert_string_equal(line, "done");
    child_destroy(child, NS_PER_S);
}

static void half_a_line_is_not_a_line(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("printf 'half' >&0");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    child_destroy(child, 0);
}

static void endless_lines_and_nul_bytes_are_babble(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("exec 3>&0; yes | tr -d '\\n' >&3");
    assert_int_equal(receive(child, &line), CHILD_MALFORMED);
    child_destroy(child, 0);

    child = shell("printf 'a\\000b\\n' >&0; read x");
    assert_int_equal(receive(child, &line), CHILD_MALFORMED);
    child_destroy(child, 0);
}

static void a_wake_up_interrupts_the_wait(void **state)
{
    (void)state;
    int pipe_fds[2];
    const char *line = NULL;
    assert_int_equal(pipe(pipe_fds), 0);
    struct child *child = shell("sleep 600");
    assert_int_equal(write(pipe_fds[1], "x", 1), 1);
    assert_int_equal(child_receive(child, 600 * NS_PER_S, pipe_fds[0], &line), CHILD_WOKEN);
    child_destroy(child, 0);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

// Given three children, one of them silent and one that prints without end, when the parent waits
// for all, then it gets the third child's line, and nothing after it until the time limit.
static void any_of_several_may_answer(void **state)
{
    (void)state;
    const char *line = NULL;
    size_t from = 0;
    struct child *children[] = {shell("read x"), NULL, shell("while :; do echo noise; done"),
                                shell("echo here >&0; read x")};
    assert_int_equal(child_receive_any(children, 4, 600 * NS_PER_S, -1, &from, &line), CHILD_LINE);
    assert_int_equal(from, 3);
    assert_string_equal(line, "here");
    assert_int_equal(child_receive_any(children, 4, NS_PER_S / 10, -1, &from, &line),
                     CHILD_TIMEOUT);
    for (size_t i = 0; i < 4; i++)
        child_destroy(children[i], 0);
}

static void how_it_ended_is_known(void **state)
{
    (void)state;
    const char *line = NULL;
    struct child *child = shell("echo so long; exit 3");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    struct child_end end = child_end(child);
    assert_int_equal(end.signal, 0);
    assert_int_equal(end.status, 3);
    assert_string_equal(end.words, "so long");
    child_destroy(child, 0);
    child = shell("kill -SEGV $$");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    assert_int_equal(child_end(child).signal, SIGSEGV);
    child_destroy(child, 0);
}

static void a_missing_binary_is_an_error_at_once(void **state)
{
    (void)state;
    const char *const argv[] = {"/nowhere/at/all", NULL};
    struct error err = {0};
    assert_null(child_create(&(struct child_desc){.argv = argv}, &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_string_equal(err.message, "cannot start /nowhere/at/all: No such file or directory");
    child_destroy(NULL, 0);
}

static void sending_to_the_dead_is_an_error_not_a_signal(void **state)
{
    (void)state;
    struct error err = {0};
    const char *line = NULL;
    struct child *child = shell("exit 0");
    assert_int_equal(receive(child, &line), CHILD_GONE);
    assert_false(child_send(child, "hello", NS_PER_S, &err));
    assert_int_equal(err.code, ERROR_IO);
    child_destroy(child, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_both_ways),
        cmocka_unit_test(it_starts_in_the_environment_that_it_is_given),
        cmocka_unit_test(silence_ends_at_the_limit),
        cmocka_unit_test(death_is_told_with_the_last_words),
        cmocka_unit_test(time_in_which_this_process_is_stopped_does_not_count),
        cmocka_unit_test(the_file_of_a_crash_is_told),
        cmocka_unit_test(what_it_prints_never_reaches_the_channel),
        cmocka_unit_test(half_a_line_is_not_a_line),
        cmocka_unit_test(endless_lines_and_nul_bytes_are_babble),
        cmocka_unit_test(a_wake_up_interrupts_the_wait),
        cmocka_unit_test(any_of_several_may_answer),
        cmocka_unit_test(how_it_ended_is_known),
        cmocka_unit_test(a_missing_binary_is_an_error_at_once),
        cmocka_unit_test(sending_to_the_dead_is_an_error_not_a_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
