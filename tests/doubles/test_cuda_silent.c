// SPDX-License-Identifier: MIT
// A driver that succeeds without telling what it was asked for: no address, no time, no part of a
// PCI address, no compute capability. Nothing is made up in its place. A driver whose range of
// priorities is absurd.
#include "gpu/cuda/cuda.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CALLS_MAX = 200 // more than the driver's calls that list a device
};
static const uint64_t TIMEOUT_NS = UINT64_C(1000000000);

struct world {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
};

static int open_world(void **state)
{
    static struct world world;
    struct error err;
    world.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
    world.device = gpu_device_open(world.system, gpu_system_info(world.system, 0), NULL, &err);
    if (!world.device)
        return -1;
    world.scope = gpu_scope_open(world.device);
    *state = &world;
    return 0;
}

static int close_world(void **state)
{
    struct world *world = *state;
    unsetenv("FAKE_CUDA_SILENT");
    gpu_device_close(world->device);
    gpu_system_destroy(world->system);
    return 0;
}

static void memory_without_an_address_is_refused(void **state)
{
    const struct world *world = *state;
    static const enum gpu_memory kinds[] = {GPU_MEMORY_DEVICE, GPU_MEMORY_UPLOAD,
                                            GPU_MEMORY_READBACK, GPU_MEMORY_MANAGED};
    struct error err = {0};
    setenv("FAKE_CUDA_SILENT", "1", 1);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct gpu_buffer_desc desc = {.bytes = 64, .memory = kinds[i]};
        assert_null(gpu_buffer_create(world->scope, &desc, &err));
        assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    }
    assert_null(gpu_hold_create(world->scope, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
}

static void a_time_that_was_not_written_is_no_span(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    double ns = 0;
    struct gpu_batch *batch =
        gpu_batch_create(world->scope, &(struct gpu_batch_desc){.span_count = 1}, &err);
    assert_non_null(batch);
    gpu_batch_span_begin(batch, 0);
    gpu_batch_span_end(batch, 0);
    assert_true(gpu_batch_end(batch, &err) && gpu_batch_run(batch, TIMEOUT_NS, &err));
    assert_true(gpu_batch_span_ns(batch, 0, &ns, &err));
    setenv("FAKE_CUDA_SILENT", "1", 1);
    assert_false(gpu_batch_span_ns(batch, 0, &ns, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
}

// Lists the devices of a driver again and again, each time with another call refused. Returns the
// sum of what `count` returns for each list.
static unsigned count_while_calls_fail(unsigned (*count)(const struct gpu_system *system))
{
    unsigned sum = 0;
    setenv("FAKE_CUDA_FAIL_RESULT", "1", 1);
    for (int call = 1; call < CALLS_MAX; call++) {
        char text[16];
        snprintf(text, sizeof text, "%d", call);
        setenv("FAKE_CUDA_FAIL_CALL", text, 1);
        struct gpu_system *system =
            gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
        sum += count(system);
        gpu_system_destroy(system);
    }
    unsetenv("FAKE_CUDA_FAIL_CALL");
    return sum;
}

static unsigned count_unknown_addresses(const struct gpu_system *system)
{
    unsigned unknown = 0;
    for (size_t i = 0; i < gpu_system_device_count(system); i++) {
        const struct gpu_info *info = gpu_system_info(system, i);
        unknown += !info->has_pci;
        assert_true(!info->has_pci || info->pci.bus == 0x19);
    }
    return unknown;
}

// Given a driver that refuses a part of a PCI address, then the device has no PCI address.
static void a_pci_address_is_whole_or_unknown(void **state)
{
    (void)state;
    // without the domain, the bus or the device
    assert_int_equal(count_while_calls_fail(count_unknown_addresses), 3);
}

static unsigned count_unknown_capabilities(const struct gpu_system *system)
{
    unsigned unknown = 0;
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const char *reason = gpu_system_unavailable(system, i)->reason;
        assert_null(strstr(reason, "compute capability 0"));
        unknown += strstr(reason, "does not report its compute capability") != NULL;
    }
    return unknown;
}

// Given a driver that refuses one attribute, then no reason states a compute capability that the
// driver did not report.
static void a_compute_capability_is_not_made_up(void **state)
{
    (void)state;
    // without the major or the minor number
    assert_int_equal(count_while_calls_fail(count_unknown_capabilities), 2);
}

// Given a driver whose range of priorities is the whole range of int, then the medium priority is
// in its middle.
static void the_medium_priority_is_in_the_middle_of_any_range(void **state)
{
    (void)state;
    static const struct {
        const char *least, *greatest;
        int medium;
    } cases[] = {{"0", "-5", -2},
                 {"0", "0", 0},
                 {"0", "-2147483648", INT_MIN / 2},
                 {"2147483647", "-2147483648", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        setenv("FAKE_CUDA_PRIORITY_LEAST", cases[i].least, 1);
        setenv("FAKE_CUDA_PRIORITY_GREATEST", cases[i].greatest, 1);
        struct gpu_system *system =
            gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
        struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
        assert_non_null(device);
        assert_int_equal(((struct cuda_queue *)gpu_device_queue(device, 0))->priority,
                         cases[i].medium);
        gpu_device_close(device);
        gpu_system_destroy(system);
    }
    unsetenv("FAKE_CUDA_PRIORITY_LEAST");
    unsetenv("FAKE_CUDA_PRIORITY_GREATEST");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_without_an_address_is_refused, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_time_that_was_not_written_is_no_span, open_world,
                                        close_world),
        cmocka_unit_test(a_pci_address_is_whole_or_unknown),
        cmocka_unit_test(a_compute_capability_is_not_made_up),
        cmocka_unit_test(the_medium_priority_is_in_the_middle_of_any_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
