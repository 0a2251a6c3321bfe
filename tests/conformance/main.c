// SPDX-License-Identifier: MIT
// conformance [API]: the suite on every device of the API (vulkan). Exits with 77 if there is none.
#include "conformance.h"

#include <stdio.h>

enum {
    EXIT_SKIP = 77
};

static const struct suite *const suites[] = {
    &device_suite, &memory_suite, &program_suite, &recording_suite, &batch_suite,    &hold_suite,
    &after_suite,  &limit_suite,  &typed_suite,   &image_suite,     &graphics_suite, &rays_suite,
};

static int run_suite(struct conformance *t, const struct suite *suite)
{
    struct arena *arena = arena_create();
    struct CMUnitTest *tests = ARENA_ARRAY(arena, suite->count, struct CMUnitTest);
    for (size_t i = 0; i < suite->count; i++) {
        tests[i] = suite->tests[i];
        tests[i].initial_state = t;
    }
    const char *name = arena_printf(arena, "%s: %s", t->info->id, suite->name);
    int failed = _cmocka_run_group_tests(name, tests, suite->count, NULL, NULL);
    arena_destroy(arena);
    return failed;
}

static int run_device(struct gpu_system *system, const struct gpu_info *info)
{
    struct error err = {0};
    struct conformance t = {.system = system, .info = info};
    t.device = gpu_device_open(system, info, NULL, &err);
    if (!t.device) {
        fprintf(stderr, "%s: %s\n", info->id, err.message);
        return 1;
    }
    printf("%s is %s (%s)\n", info->id, info->name, info->driver);
    fflush(stdout);
    int failed = 0;
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
        failed += run_suite(&t, suites[i]);
    gpu_device_close(t.device);
    return failed;
}

static void print_unavailable(const struct gpu_system *system)
{
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, i);
        printf("%s: %s\n", unavailable->api, unavailable->reason);
    }
}

// Opens the API with its own validation if that is installed.
static struct gpu_system *open_system(const char *api)
{
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = api, .validation = true});
    if (gpu_system_device_count(system) > 0)
        return system;
    print_unavailable(system);
    gpu_system_destroy(system);
    return gpu_system_create(&(struct gpu_system_desc){.only_api = api});
}

int main(int argc, char **argv)
{
    struct gpu_system *system = open_system(argc > 1 ? argv[1] : "vulkan");
    size_t count = gpu_system_device_count(system);
    int failed = 0;
    if (count == 0)
        print_unavailable(system);
    for (size_t i = 0; i < count; i++)
        failed += run_device(system, gpu_system_info(system, i));
    gpu_system_destroy(system);
    if (count == 0)
        return EXIT_SKIP;
    return failed ? 1 : 0;
}
