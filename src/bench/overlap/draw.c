// SPDX-License-Identifier: MIT
#include "bench/overlap/draw.h"

#include "bench/overlap/overlap.h"

#include <string.h>

bool overlap_draw_any(const struct overlap_scenario *scenario)
{
    for (size_t w = 0; w < scenario->count; w++)
        if (scenario->workloads[w].draw)
            return true;
    return false;
}

const struct overlap_scenario *overlap_draw_settle(struct arena *arena,
                                                   const struct overlap_session *session,
                                                   const struct gpu_info *info,
                                                   const struct overlap_scenario *scenario)
{
    struct overlap_scenario *settled = ARENA_NEW(arena, struct overlap_scenario);
    struct overlap_workload *workloads =
        ARENA_ARRAY(arena, scenario->count, struct overlap_workload);
    bool same = true;
    for (size_t w = 0; w < scenario->count; w++) {
        workloads[w] = scenario->workloads[w];
        bool universal = workloads[w].queue == OVERLAP_DIRECT || !session->queues[OVERLAP_COMPUTE];
        workloads[w].draw = workloads[w].draw && universal && info->caps & GPU_CAP(GRAPHICS);
        same = same && workloads[w].draw == scenario->workloads[w].draw;
    }
    *settled = *scenario;
    settled->workloads = workloads;
    return same ? scenario : settled;
}

static bool make_program(struct overlap_stage *stage, const struct gpu_target *target,
                         struct error *err)
{
    struct overlap_session *session = stage->session;
    if (session->draw_program)
        return true;
    const char *name = session->has_cores ? "overlap_draw_core" : "overlap_draw";
    const struct gpu_draw_program_desc desc = {
        .vertex = kernel_find("overlap_cover"), .fragment = kernel_find(name), .target = target};
    if (!desc.vertex || !desc.fragment)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build", name);
    session->draw_program = gpu_draw_program_create(session->scope, &desc, err);
    return session->draw_program != NULL;
}

bool overlap_draw_init(struct overlap_stage *stage, struct error *err)
{
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!stage->scenario->workloads[w].draw)
            continue;
        const struct gpu_target_desc desc = {.format = GPU_FORMAT_RGBA16_FLOAT,
                                             .width = OVERLAP_BLOCK_THREADS,
                                             .height = stage->scenario->workloads[w].blocks};
        stage->targets[w] = gpu_target_create(stage->scope, &desc, err);
        if (!stage->targets[w] || !make_program(stage, stage->targets[w], err))
            return false;
    }
    return true;
}

void overlap_draw_record(const struct overlap_stage *stage, struct gpu_batch *batch, size_t w,
                         const void *params, size_t params_bytes)
{
    const struct gpu_draw draw = {
        .program = stage->session->draw_program,
        .target = stage->targets[w],
        .vertices = 3,
        .load = GPU_LOAD_DISCARD,
        .args = {{.buffer = stage->results},
                 {.buffer = stage->records},
                 {.buffer = stage->markers.counters},
                 {.buffer = stage->markers.words}},
        .params = params,
        .params_bytes = params_bytes,
    };
    gpu_batch_draw(batch, &draw);
}
