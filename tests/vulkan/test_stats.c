// SPDX-License-Identifier: MIT
// What drivers say about compiled kernels, on RADV's null device. It compiles for a chip that is
// not there (RADV_FORCE_FAMILY), and cannot run anything.
#include "gpu/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    EXIT_SKIP = 77
};

static void statistics_and_the_isa_are_told(void **state)
{
    struct gpu_system *system = *state;
    struct error err = {0};
    struct gpu_program_stats stats;
    struct arena *arena = arena_create();
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    struct gpu_program *program = gpu_program_create(
        scope, &(struct gpu_program_desc){.kernel = kernel_find("conf_add")}, &err);
    assert_non_null(program);

    assert_true(gpu_program_stats(program, arena, &stats, &err));

    assert_true(stats.has_registers && stats.has_spills && stats.has_shared);
    assert_in_range(stats.registers, 1, 256);
    assert_int_equal(stats.spill_bytes, 0);
    assert_int_equal(stats.shared_bytes, 0);
    assert_non_null(strstr(stats.text, "VGPRs: "));
    assert_non_null(strstr(stats.text, "buffer_load_dword")); // words[i] + …
    assert_int_equal(gpu_device_validation_messages(device, NULL), 0);
    gpu_device_close(device);
    arena_destroy(arena);
}

int main(void)
{
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(statistics_and_the_isa_are_told, system),
    };
    int status = EXIT_SKIP;
    if (gpu_system_device_count(system) > 0)
        status = cmocka_run_group_tests(tests, NULL, NULL);
    else
        printf("%s\n", gpu_system_unavailable(system, 0)->reason);
    gpu_system_destroy(system);
    return status;
}
