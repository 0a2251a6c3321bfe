// SPDX-License-Identifier: MIT
#include "bench/overlap/frame.h"
#include "bench/overlap/overlap.h"

enum {
    IMAGE_SIDE = 64
};

const struct overlap_scenario *overlap_scenario_settle(struct arena *arena,
                                                       const struct overlap_session *session,
                                                       enum overlap_barrier barrier,
                                                       const struct overlap_scenario *scenario)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(session->scope));
    struct overlap_scenario *settled = ARENA_NEW(arena, struct overlap_scenario);
    struct overlap_workload *workloads =
        ARENA_ARRAY(arena, scenario->count, struct overlap_workload);
    for (size_t w = 0; w < scenario->count; w++) {
        workloads[w] = scenario->workloads[w];
        if (!session->queues[workloads[w].queue])
            workloads[w].queue = OVERLAP_DIRECT;
        workloads[w].draw = workloads[w].draw && workloads[w].queue == OVERLAP_DIRECT &&
                            info->caps & GPU_CAP(GRAPHICS);
        if (barrier == OVERLAP_BARRIER_NONE)
            workloads[w].after = 0;
    }
    *settled = *scenario;
    settled->workloads = workloads;
    return settled;
}

// ---------------------------------------------------------------- buffers and targets

static bool make_draw_program(struct overlap_session *session, const struct gpu_target *target,
                              struct error *err)
{
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

// Creates a render target for each draw, because unordered draws must not share a target. A row has
// 1024 pixels, as many as a block has threads, so each pixel is one thread of the workload.
static bool make_targets(struct overlap_stage *stage, struct error *err)
{
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!stage->scenario->workloads[w].draw)
            continue;
        const struct gpu_target_desc desc = {.format = GPU_FORMAT_RGBA16_FLOAT,
                                             .width = OVERLAP_BLOCK_THREADS,
                                             .height = stage->scenario->workloads[w].blocks};
        stage->targets[w] = gpu_target_create(stage->scope, &desc, err);
        if (!stage->targets[w] || !make_draw_program(stage->session, stage->targets[w], err))
            return false;
    }
    return true;
}

bool overlap_stage_init(struct overlap_stage *stage, struct error *err)
{
    const struct overlap_scenario *scenario = stage->scenario =
        overlap_scenario_settle(stage->arena, stage->session, stage->barrier, stage->scenario);
    stage->stride = 0;
    for (size_t w = 0; w < scenario->count; w++) {
        uint32_t threads = scenario->workloads[w].blocks * OVERLAP_BLOCK_THREADS;
        // A subgroup of a draw writes its record to the element of its first pixel; any pixel can
        // be first.
        uint32_t records = scenario->workloads[w].draw ? threads : threads / OVERLAP_WORKGROUP;
        if (threads > stage->stride)
            stage->stride = threads;
        stage->first_record[w + 1] = stage->first_record[w] + records;
    }
    size_t words = scenario->count * (size_t)stage->stride;
    size_t record_words = (size_t)stage->first_record[scenario->count] * OVERLAP_RECORD_WORDS;
    stage->words = ARENA_ARRAY(stage->arena, words, uint32_t);
    stage->record_words = ARENA_ARRAY(stage->arena, record_words, uint32_t);
    const uint64_t bytes = words * sizeof(uint32_t), record_bytes = record_words * sizeof(uint32_t);
    // No frame has the token 0, so a 0 is no record.
    if (!(stage->results = bench_buffer(stage->scope, bytes, GPU_MEMORY_DEVICE, err)) ||
        !(stage->records = bench_buffer(stage->scope, record_bytes, GPU_MEMORY_DEVICE, err)) ||
        !gpu_buffer_write(stage->records, 0, stage->record_words, record_bytes, err) ||
        !overlap_markers_init(&stage->markers, stage->scope, err) || !make_targets(stage, err))
        return false;
    if (stage->barrier != OVERLAP_BARRIER_IMAGE)
        return true;
    const struct gpu_image_desc image = {
        .format = GPU_FORMAT_R32_UINT, .width = IMAGE_SIDE, .height = IMAGE_SIDE, .storage = true};
    stage->image = gpu_image_create(stage->scope, &image, err);
    return stage->image != NULL;
}
