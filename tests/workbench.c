// SPDX-License-Identifier: MIT
#include "workbench.h"

#include "device_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

bool workbench_open(struct workbench *bench, const struct benchmark *benchmark)
{
    struct error err = {0};
    struct gpu_device_desc desc = {0};
    *bench = (struct workbench){.benchmark = benchmark};
    bench->system = gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    const struct gpu_info *info = gpu_system_info(bench->system, 0);
    if (benchmark->device)
        benchmark->device(info, &desc);
    struct gpu_device *device = gpu_device_open(bench->system, info, &desc, &err);
    if (device)
        bench->session = (struct bench_session){.arena = arena_create(),
                                                .system = bench->system,
                                                .device = device,
                                                .info = info,
                                                .scope = gpu_scope_open(device)};
    if (device && (!benchmark->open || benchmark->open(&bench->session, &err)))
        return true;
    print_error("%s\n", err.message);
    return false;
}

void workbench_close(struct workbench *bench)
{
    struct bench_session *session = &bench->session;
    if (session->device) {
        if (bench->benchmark->close)
            bench->benchmark->close(session);
        gpu_scope_close(session->scope);
        assert_int_equal(gpu_device_live_objects(session->device), 0);
        gpu_device_close(session->device);
        arena_destroy(session->arena);
    }
    gpu_system_destroy(bench->system);
}

int workbench_status(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    size_t devices = gpu_system_device_count(system);
    gpu_system_destroy(system);
    if (devices > 0)
        return 0;
    print_message("no device: skipped\n");
    return 77;
}
