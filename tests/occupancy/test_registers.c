// SPDX-License-Identifier: MIT
// The values that a thread keeps are in registers. RADV's compiler, on the null device of the chip
// that RADV_FORCE_FAMILY names, needs at least as many vector registers, few more, and spills none.
#include "gpu/gpu.h"
#include "gpu/kernels.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    EXTRA_REGISTERS = 24 // for addresses, the loop and temporary values
};

struct bench {
    struct gpu_system *system;
    struct gpu_device *device;
};

static struct gpu_program_stats stats_of(struct gpu_device *device, const char *name)
{
    struct error err = {0};
    struct gpu_program_stats stats = {0};
    struct arena *arena = arena_create();
    struct gpu_scope *scope = gpu_scope_open(device);
    const struct gpu_program_desc desc = {.kernel = kernel_find(name)};
    struct gpu_program *program = gpu_program_create(scope, &desc, &err);
    if (!program || !gpu_program_stats(program, arena, &stats, &err))
        print_error("%s: %s\n", name, err.message);
    gpu_scope_close(scope);
    arena_destroy(arena);
    return stats;
}

static void every_value_has_a_register_and_nothing_spills(void **state)
{
    static const unsigned values[] = {8, 24, 56, 88, 120, 160, 240};
    const struct bench *bench = *state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char name[64];
        snprintf(name, sizeof name, "occupancy_values_%u", values[i]);
        struct gpu_program_stats stats = stats_of(bench->device, name);
        assert_true(stats.has_registers);
        if (stats.registers < values[i] || stats.registers > values[i] + EXTRA_REGISTERS)
            fail_msg("%s: %u registers", name, stats.registers);
        assert_int_equal(stats.spill_bytes, 0);
    }
}

static void shared_memory_has_the_size_of_the_name(void **state)
{
    const struct bench *bench = *state;
    for (unsigned bytes = 8192; bytes <= 32768; bytes *= 2) {
        char name[64];
        snprintf(name, sizeof name, "occupancy_shared_%u", bytes);
        struct gpu_program_stats stats = stats_of(bench->device, name);
        assert_true(stats.has_shared);
        assert_int_equal(stats.shared_bytes, bytes);
    }
}

static int open_bench(void **state)
{
    static struct bench bench;
    struct error err = {0};
    bench.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    bench.device = gpu_device_open(bench.system, gpu_system_info(bench.system, 0),
                                   &(struct gpu_device_desc){0}, &err);
    *state = &bench;
    return bench.device ? 0 : -1;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    gpu_device_close(bench->device);
    gpu_system_destroy(bench->system);
    return 0;
}

static bool is_there(const char *family)
{
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    const struct gpu_info *info =
        gpu_system_device_count(system) ? gpu_system_info(system, 0) : NULL;
    char upper[32] = "";
    for (size_t i = 0; family[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)family[i]);
    bool there = info && strstr(info->name, upper);
    gpu_system_destroy(system);
    return there;
}

int main(int argc, char **argv)
{
    if (argc != 2 || !is_there(argv[1])) {
        print_message("RADV shows no null device of this family\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_a_register_and_nothing_spills),
        cmocka_unit_test(shared_memory_has_the_size_of_the_name),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
