// SPDX-License-Identifier: MIT
#include "fakes/map_run.h"

#include "bench/bench.h"
#include "map/map.h"

#include <stdio.h>
#include <stdlib.h>

struct gpu_info map_run_device(void)
{
    struct gpu_info info = {.id = "vulkan:0", .api = "vulkan", .kind = GPU_KIND_DISCRETE};
    info.caps = ~GPU_CAP(VIRTUAL_TIME);
    info.limits = (struct gpu_limits){.memory_bytes = UINT64_C(64) << 30,
                                      .allocation_bytes = UINT64_C(4) << 30,
                                      .storage_range_bytes = UINT64_C(4) << 30,
                                      .constant_range_bytes = 64 << 10,
                                      .typed_elements = 1 << 27,
                                      .image_2d = 16384,
                                      .shared_bytes = 48 << 10,
                                      .workgroup_threads = 1024};
    return info;
}

static struct result *add_result(struct run *run, const struct gpu_info *device,
                                 const struct plan_case *asked)
{
    const struct benchmark_info *info = &asked->benchmark->info;
    struct result *result = run_add_result(run);
    result->benchmark = info->name;
    result->version = info->version;
    result->device = device->id;
    result->bench_case = *asked->bench_case;
    result->key = asked->key;
    return result;
}

struct run *map_run(const struct gpu_info *device, map_run_answer *answer, void *context,
                    size_t most, size_t *cases)
{
    struct run *run = run_create();
    struct error err = {.code = ERROR_NONE};
    for (size_t i = 0; map_benchmarks[i]; i++)
        run_add_benchmark(run, &benchmark_find(map_benchmarks[i])->info);
    struct gpu_info *of = ARENA_NEW(run->arena, struct gpu_info); // the run keeps this pointer
    *of = *device;
    run_add_device(run)->id = of->id;
    struct plan *plan =
        map_plan_create(run->arena, &(struct choice_request){.preset = "map"}, of, run, &err);
    if (!plan) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    struct plan_case asked;
    *cases = 0;
    for (enum plan_step step;
         *cases < most && (step = plan->next(plan, run, &asked)) != PLAN_END;) {
        if (step != PLAN_CASE)
            continue;
        answer(context, run->arena, asked.index, add_result(run, of, &asked));
        ++*cases;
    }
    plan->conclude(plan, run);
    return run;
}
