// SPDX-License-Identifier: MIT
// Kernels and the host compute the same bijection.
#include "device_api.h"
#include "gpu/kernels.h"
#include "math/permute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    GROUPS = 16,
    COUNT = 64 * GROUPS
};

struct params {
    uint32_t first, n, key;
};

static bool places_of(struct gpu_scope *scope, const struct params *params, uint32_t *places,
                      struct error *err)
{
    const struct gpu_program_desc program = {.kernel = kernel_find("permute_indices")};
    const struct gpu_buffer_desc buffer = {.bytes = COUNT * sizeof *places};
    struct gpu_dispatch dispatch = {
        .program = gpu_program_create(scope, &program, err),
        .groups = {GROUPS},
        .args = {{.buffer = gpu_buffer_create(scope, &buffer, err)}},
        .params = params,
        .params_bytes = sizeof *params,
    };
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    if (!dispatch.program || !dispatch.args[0].buffer || !batch)
        return false;
    gpu_batch_dispatch(batch, &dispatch);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, UINT64_C(10000000000), err) &&
           gpu_buffer_read(dispatch.args[0].buffer, 0, places, COUNT * sizeof *places, err);
}

static void kernels_and_host_agree(void **state)
{
    static const struct params cases[] = {
        {0, 1024, 0},
        {0, 1025, 7},
        {0, 1000003, 42},
        {0, 1u << 20, 1},
        {1u << 24, 1u << 25, 9},
        {5, 0, 3},
        {UINT32_MAX - COUNT, 0, 0xdeadbeef},
    };
    struct gpu_system *system = *state;
    struct error err = {0};
    struct gpu_device *device =
        gpu_device_open(system, gpu_system_info(system, 0), &(struct gpu_device_desc){0}, &err);
    assert_non_null(device);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct gpu_scope *scope = gpu_scope_open(device);
        uint32_t places[COUNT] = {0};
        if (!places_of(scope, &cases[c], places, &err))
            fail_msg("%s", err.message);
        for (uint32_t i = 0; i < COUNT && (cases[c].n == 0 || i < cases[c].n); i++)
            assert_int_equal(places[i],
                             permute_index(cases[c].first + i, cases[c].n, cases[c].key));
        gpu_scope_close(scope);
    }
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
        cmocka_unit_test_prestate(kernels_and_host_agree, system),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gpu_system_destroy(system);
    return failed;
}
