// SPDX-License-Identifier: MIT
// The clock probe on the Vulkan devices that are there.
#include "measure/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct fixture {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
};

static int open_device(void **state)
{
    static struct fixture fixture;
    struct error err;
    fixture.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    fixture.device = gpu_device_open(fixture.system, gpu_system_info(fixture.system, 0),
                                     &(struct gpu_device_desc){0}, &err);
    if (!fixture.device)
        return -1;
    fixture.scope = gpu_scope_open(fixture.device);
    *state = &fixture;
    return 0;
}

static int close_device(void **state)
{
    struct fixture *fixture = *state;
    gpu_scope_close(fixture->scope);
    gpu_device_close(fixture->device);
    gpu_system_destroy(fixture->system);
    return 0;
}

static bool has(const struct fixture *fixture, gpu_caps caps)
{
    return gpu_require(gpu_device_info(fixture->device), caps, NULL);
}

static void clocks_are_as_the_device_promises(void **state)
{
    struct fixture *fixture = *state;
    const struct gpu_info *info = gpu_device_info(fixture->device);
    struct measure_clock clock;
    struct error err;
    if (!measure_clock_probe(fixture->scope, &clock, &err))
        fail_msg("%s", err.message);
    print_message("%s: counter %u bits at %.6g Hz, step %g, %s; device clock tick %g ns, step %g "
                  "ns, %u bits; a turn %.3g ns\n",
                  info->name, clock.counter_bits, clock.counter_hz, clock.counter_step,
                  clock.counts_core_clock ? "a core clock" : "no core clock", clock.device_tick_ns,
                  clock.device_step_ns, clock.device_bits, clock.turn_ns);
    assert_int_equal(clock.has_counter, has(fixture, GPU_CAP(CORE_CLOCK)));
    assert_int_equal(clock.has_device_clock, has(fixture, GPU_CAP(DEVICE_CLOCK)));
    if (info->kind == GPU_KIND_CPU && clock.has_counter && clock.has_device_clock) {
        // Then it is the host's nanoseconds, whatever it calls itself.
        assert_true(fabs(clock.counter_hz / 1e9 - 1) < 1e-3);
        assert_true(clock.device_tick_ns == 1);
        assert_false(clock.counts_core_clock);
    }
}

int main(void)
{
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    size_t devices = gpu_system_device_count(system);
    gpu_system_destroy(system);
    if (devices == 0)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clocks_are_as_the_device_promises, open_device,
                                        close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
