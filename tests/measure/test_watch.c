// SPDX-License-Identifier: MIT
// The watch for other work, on the device that is there. It prints the rates of the yardsticks.
#include "device_api.h"
#include "measure/yardsticks.h"

#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    WATCHES = 40,
    WATCHES_CPU = 2 // a software GPU takes a second for each
};

static void print_finding(const struct watch_finding *finding, uint64_t took_ns)
{
    const double *rates = finding->rates;
    print_message("%.3g ms, other work %.2g %%; arithmetic %.6g; GB/s: memory %.4g, cache %.4g, "
                  "to the device %.4g, to the host %.4g\n",
                  (double)took_ns / 1e6, 100 * finding->share, rates[WATCH_CORES],
                  rates[WATCH_MEMORY] / 1e9, rates[WATCH_CACHE] / 1e9, rates[WATCH_TO_DEVICE] / 1e9,
                  rates[WATCH_TO_HOST] / 1e9);
}

// If the core clock was low, a watch drops its copies within memory and within the last cache. So
// the test asks whether any of all watches measured them.
static void each_yardstick_is_measured(void **state)
{
    struct gpu_system *system = *state;
    struct error err = {0};
    const struct gpu_info *info = gpu_system_info(system, 0);
    struct gpu_device *device = gpu_device_open(system, info, &(struct gpu_device_desc){0}, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    struct arena *arena = arena_create();
    struct measure_watch *watch = measure_watch_open(arena, scope, &err);
    if (!watch)
        fail_msg("%s", err.message);
    double best[WATCH_YARDSTICKS] = {NAN, NAN, NAN, NAN, NAN};
    int watches = info->kind == GPU_KIND_CPU ? WATCHES_CPU : WATCHES;
    for (int i = 0; i < watches; i++) {
        struct watch_finding finding;
        uint64_t began_ns = clock_now_ns();
        if (!measure_watch_run(watch, 0, &finding, &err))
            fail_msg("%s", err.message);
        print_finding(&finding, clock_now_ns() - began_ns);
        for (unsigned j = 0; j < WATCH_YARDSTICKS; j++)
            best[j] = fmax(best[j], finding.rates[j]);
    }
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    // On a software GPU, threads may find no time for a whole watch. Then there is no yardstick.
    assert_true(best[WATCH_CORES] > 0 || info->kind == GPU_KIND_CPU);
    // A device with little memory copies nothing. Otherwise, a known cache is measured as memory
    // is.
    assert_int_equal(best[WATCH_TO_DEVICE] > 0, best[WATCH_MEMORY] > 0);
    assert_int_equal(best[WATCH_TO_HOST] > 0, best[WATCH_MEMORY] > 0);
    assert_int_equal(best[WATCH_CACHE] > 0,
                     best[WATCH_MEMORY] > 0 && yardsticks_cache_bytes(&limits));
    arena_destroy(arena);
    gpu_scope_close(scope);
    gpu_device_close(device);
}

int main(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    if (gpu_system_device_count(system) == 0)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_yardstick_is_measured, system),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gpu_system_destroy(system);
    return failed;
}
