// SPDX-License-Identifier: MIT
// What a check makes of a process that breaks its protocol. A shell stands in for the process.
#include "suite/check.h"
#include "suite/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Returns the check of a device whose process runs `script`. Its channel is the standard input.
static struct run *run_checked(const char *script, struct check_parts *parts)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "fake"});
    const struct gpu_info *device = gpu_system_info(system, 0);
    const struct device_list devices = {.devices = &device, .count = 1};
    struct error err;
    struct run *run = run_create();
    runner_describe(run, &(struct runner_desc){.devices = &devices}, 0, NULL);
    assert_true(check_measure(
        run, &(struct check_desc){.devices = &devices, .system = system, .argv = argv}, parts,
        &err));
    gpu_system_destroy(system);
    return run;
}

// Given a process that writes what is no line, or a line that is no run, when its device is
// checked, then the device is lost and the cause is said.
static void a_device_whose_process_sends_no_run_is_lost(void **state)
{
    static const char *const scripts[] = {"printf '{\\0}\\n' >&0", "echo '{}' >&0"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct check_parts parts = {0};
        struct run *run = run_checked(scripts[i], &parts);
        assert_int_equal(run->check_count, 1);
        assert_int_equal(run->checks[0].verdict, CHECK_BROKEN);
        assert_int_equal(run->checks[0].code, CHECK_LOST);
        assert_string_equal(run->checks[0].cause, "its process sent what is no run");
        run_destroy(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_whose_process_sends_no_run_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
