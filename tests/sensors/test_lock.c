// SPDX-License-Identifier: MIT
// Tests the clocks of a run (suite/clock_lock.h) by what a double of NVML writes to a file. Started
// with an argument, this program is the guard.
#include "sensors/guard.h"
#include "suite/clock_lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const guard_argv[] = {"/proc/self/exe", "guard", NULL};
static const double clocks_hz[] = {1200e6, 1490e6};
static char log_path[] = "/tmp/fathom-lock-XXXXXX";

static struct gpu_info card(gpu_caps caps)
{
    struct gpu_info info = {.id = "cuda:0", .has_uuid = true, .caps = caps};
    for (int i = 0; i < GPU_UUID_BYTES; i++)
        info.uuid[i] = (uint8_t)i;
    return info;
}

// Returns what was set since the last call, one line each, without the process that set it.
static const char *new_calls(void)
{
    static char text[1024];
    char line[128];
    size_t used = 0;
    FILE *file = fopen(log_path, "r+");
    text[0] = '\0';
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *by = strstr(line, " by ");
        assert_non_null(by);
        *by = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", line);
    }
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    fclose(file);
    return text;
}

static struct clock_lock *lock_of(struct arena *arena, const struct gpu_info *info)
{
    struct error err = {0};
    struct clock_lock *lock = clock_lock_create(
        arena,
        &(struct clock_lock_desc){
            .device = info, .hz = clocks_hz, .count = 2, .guard_argv = guard_argv},
        &err);
    if (!lock)
        fail_msg("%s", err.message);
    return lock;
}

static void follow(struct clock_lock *lock, uint64_t hz)
{
    struct error err = {0};
    struct case_value value = {.key = "clock", .type = PARAM_UINT, .uint = hz};
    const struct bench_case bench_case = {.values = &value, .value_count = hz ? 1 : 0};
    if (!clock_lock_follow(lock, &bench_case, &err))
        fail_msg("%s", err.message);
}

static int make_log(void **state)
{
    (void)state;
    int fd = mkstemp(log_path);
    if (fd < 0)
        return -1;
    close(fd);
    return setenv("NVML_DOUBLE_LOG", log_path, 1);
}

static int remove_log(void **state)
{
    (void)state;
    return unlink(log_path);
}

static void skip_in_a_container(void)
{
    char link[64] = "";
    if (readlink("/proc/self/ns/pid", link, sizeof link - 1) < 0 ||
        strcmp(link, "pid:[4026531836]") != 0)
        skip();
}

// Given a card whose clock can be set, when cases with and without a clock are visited, then the
// clock is locked only for those with one, and the run says what was granted.
static void the_clock_follows_the_cases(void **state)
{
    (void)state;
    skip_in_a_container();
    struct run *run = run_create();
    const struct gpu_info info = card(0);
    struct clock_lock *lock = lock_of(run->arena, &info);
    assert_string_equal(new_calls(), "lock 1200 1200\nreset\n"); // tried at creation
    follow(lock, 0);
    assert_string_equal(new_calls(), "");
    follow(lock, 1200000000);
    follow(lock, 1490000000);
    follow(lock, 1490000000);
    assert_string_equal(new_calls(), "lock 1200 1200\nlock 1500 1500\n");
    follow(lock, 0);
    assert_string_equal(new_calls(), "reset\n");
    follow(lock, 1200000000);
    clock_lock_end(lock, run);
    clock_lock_end(lock, run); // a second end does nothing
    assert_string_equal(new_calls(), "lock 1200 1200\nreset\n");
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "clocks");
    assert_non_null(strstr(run->findings[0].text, "asked for: 1.200 GHz, 1.490 GHz; locked: "
                                                  "1.200 GHz, 1.500 GHz; restored by the "
                                                  "driver's reset"));
    run_destroy(run);
}

static void a_device_with_a_clock_of_its_own_needs_no_guard(void **state)
{
    (void)state;
    struct run *run = run_create();
    const struct gpu_info info = card(GPU_CAP(CLOCK_CHOICE));
    struct clock_lock *lock = lock_of(run->arena, &info);
    follow(lock, 1200000000);
    clock_lock_end(lock, run);
    assert_string_equal(new_calls(), "");
    assert_non_null(strstr(run->findings[0].text, "nothing on this machine was locked"));
    run_destroy(run);
}

static void without_clocks_nothing_is_asked(void **state)
{
    (void)state;
    struct error err;
    assert_true(clock_lock_follow(NULL, &(struct bench_case){0}, &err));
    clock_lock_end(NULL, NULL);
    assert_string_equal(new_calls(), "");
}

static void a_refusal_is_no_device(void **state)
{
    (void)state;
    struct error err = {0};
    struct arena *arena = arena_create();
    struct gpu_info info = card(0);
    info.uuid[3] = 99; // no card has this UUID
    assert_null(clock_lock_create(
        arena,
        &(struct clock_lock_desc){
            .device = &info, .hz = clocks_hz, .count = 2, .guard_argv = guard_argv},
        &err));
    assert_int_equal(err.code, ERROR_NO_DEVICE);
    assert_non_null(strstr(err.message, "--set clock: the core clock of cuda:0 cannot be set"));
    assert_non_null(strstr(err.message, "leave clock out"));
    assert_string_equal(new_calls(), "");
    arena_destroy(arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_follows_the_cases),
        cmocka_unit_test(a_device_with_a_clock_of_its_own_needs_no_guard),
        cmocka_unit_test(without_clocks_nothing_is_asked),
        cmocka_unit_test(a_refusal_is_no_device),
    };
    struct error err;
    if (argc > 1 && strcmp(argv[1], "guard") == 0)
        return clock_guard_serve(STDIN_FILENO, &err) ? 0 : 1;
    return cmocka_run_group_tests(tests, make_log, remove_log);
}
