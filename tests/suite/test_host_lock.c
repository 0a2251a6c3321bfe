// SPDX-License-Identifier: MIT
#include "suite/host_lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/fathom_lock_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && setenv("TMPDIR", folder, 1) == 0 ? 0 : -1;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void only_one_holds_it(void **state)
{
    (void)state;
    struct host_lock first, second;
    assert_true(host_lock_take(&first, "a", 0));
    assert_false(host_lock_take(&second, "a", 0));
    assert_true(host_lock_take(&second, "b", 0)); // another name is another lock
    host_lock_end(&second);
    host_lock_end(&first);
    assert_true(host_lock_take(&second, "a", 0));
    host_lock_end(&second);
}

static void it_ends_with_its_process(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct host_lock held;
        _exit(host_lock_take(&held, "a", 0) ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct host_lock lock;
    assert_true(host_lock_take(&lock, "a", 0));
    host_lock_end(&lock);
}

static void the_text_of_the_last_holder_is_read_if_it_is_new(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct host_lock lock;
    assert_true(host_lock_take(&lock, "text", 0));
    assert_null(host_lock_read(&lock, arena, 0));
    host_lock_write(&lock, "the longer text");
    host_lock_write(&lock, "the text");
    host_lock_end(&lock);
    assert_true(host_lock_take(&lock, "text", 0));
    assert_string_equal(host_lock_read(&lock, arena, now_s() - 3600), "the text");
    assert_null(host_lock_read(&lock, arena, now_s() + 3600));
    host_lock_end(&lock);
    arena_destroy(arena);
}

static void without_a_folder_there_is_no_lock(void **state)
{
    (void)state;
    setenv("TMPDIR", "/nowhere", 1);
    struct host_lock lock;
    assert_false(host_lock_take(&lock, "a", 0));
    host_lock_end(&lock); // nothing is locked
    setenv("TMPDIR", folder, 1);
}

static void an_empty_tmpdir_is_as_none(void **state)
{
    (void)state;
    struct host_lock first, second;
    unsetenv("TMPDIR");
    char name[32];
    snprintf(name, sizeof name, "test-%ld", (long)getpid());
    assert_true(host_lock_take(&first, name, 0));
    setenv("TMPDIR", "", 1);
    assert_false(host_lock_take(&second, name, 0));
    host_lock_end(&first);
    setenv("TMPDIR", folder, 1);
    char command[64];
    snprintf(command, sizeof command, "rm /tmp/fathom-%s-*", name);
    assert_int_equal(system(command), 0);
}

static void a_link_in_its_place_is_not_followed(void **state)
{
    (void)state;
    char target[64], command[256];
    snprintf(target, sizeof target, "%s/target", folder);
    struct host_lock lock;
    assert_true(host_lock_take(&lock, "link", 0));
    host_lock_end(&lock);
    snprintf(command, sizeof command, "cd %s && for f in fathom-link-*; do ln -sf %s $f; done",
             folder, target);
    assert_int_equal(system(command), 0);
    assert_false(host_lock_take(&lock, "link", 0));
    assert_int_equal(access(target, F_OK), -1);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_holds_it),
        cmocka_unit_test(it_ends_with_its_process),
        cmocka_unit_test(the_text_of_the_last_holder_is_read_if_it_is_new),
        cmocka_unit_test(without_a_folder_there_is_no_lock),
        cmocka_unit_test(an_empty_tmpdir_is_as_none),
        cmocka_unit_test(a_link_in_its_place_is_not_followed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
