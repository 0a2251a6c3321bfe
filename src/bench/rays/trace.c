// SPDX-License-Identifier: MIT
#include "bench/rays/session.h"
#include "measure/unit.h"

bool rays_by_pipeline(const struct bench_visit *run)
{
    if (case_find(run->bench_case, "through"))
        return case_says(run->bench_case, "through", "pipeline");
    return case_says(run->bench_case, "work", "build") &&
           !(run->session->info->caps & GPU_CAP(RAY_QUERY));
}

static const char *mode_name(uint32_t mode)
{
    static const char *const names[] = {[RAYS_NONE] = "none",
                                        [RAYS_OPAQUE] = "opaque",
                                        [RAYS_CULLED] = "culled",
                                        [RAYS_COUNTED] = "counted",
                                        [RAYS_ASKED] = "asked"};
    return names[mode];
}

// Returns the kernels that a pipeline calls for misses, hits and intersections. A kernel that is
// not needed is NULL.
static struct gpu_ray_kernels called_by(const struct rays_beam *beam)
{
    const bool asks = beam->mode == RAYS_COUNTED || beam->mode == RAYS_ASKED;
    const bool boxes = beam->tree->desc.kind == GPU_TREE_BOXES;
    const bool counts = beam->mode == RAYS_COUNTED;
    return (struct gpu_ray_kernels){
        .miss = kernel_find("rays_miss"),
        .closest_hit = kernel_find("rays_closest"),
        .any_hit = asks ? kernel_find(counts ? "rays_any_counted" : "rays_any_asked") : NULL,
        .intersection =
            boxes ? kernel_find(counts ? "rays_meet_counted" : "rays_meet_asked") : NULL,
    };
}

struct gpu_program *rays_beam_program(struct bench_visit *run, const struct rays_beam *beam,
                                      struct error *err)
{
    const char *name = beam->rays == RAYS_CHAIN ? "chain" : mode_name(beam->mode);
    struct gpu_program_desc desc = {0};
    if (!gpu_require(run->session->info,
                     beam->pipeline ? GPU_CAP(RAY_PIPELINE) : GPU_CAP(RAY_QUERY), err))
        return NULL;
    if (beam->pipeline)
        desc.rays = called_by(beam);
    return measure_program(
        &run->session->programs,
        arena_printf(run->arena, "rays_%s_%s", beam->pipeline ? "trace" : "query", name), &desc,
        err);
}

// Returns the size in bytes of the beam's hits; the number of its dispatches follows them.
static uint64_t hits_bytes(const struct rays_beam *beam)
{
    return sizeof(struct rays_hit) << beam->rays_log2;
}

static void record_unwritten(void *context, struct gpu_batch *batch)
{
    const struct rays_beam *beam = context;
    gpu_batch_fill(batch, beam->dispatch.args[0].buffer, 0, hits_bytes(beam), RAYS_UNWRITTEN);
}

bool rays_beam_prepare(struct bench_visit *run, struct rays_beam *beam, struct error *err)
{
    const struct rays_session *session = run->session->state;
    bool chain = beam->rays == RAYS_CHAIN;
    uint64_t address = gpu_tree_address(beam->tree->top);
    beam->params = (struct rays_trace_params){
        .tree = {(uint32_t)address, (uint32_t)(address >> 32)},
        .rays = beam->rays,
        .rays_log2 = beam->rays_log2,
        .mask = beam->mask ? beam->mask : 0xff,
        .start = beam->start,
        .scene = beam->tree->scene,
    };
    beam->dispatch = (struct gpu_dispatch){
        .program = rays_beam_program(run, beam, err),
        .groups = {chain ? 1 : (1u << beam->rays_log2) / RAYS_THREADS},
        .args = {{.buffer = session->hits}},
        .params = &beam->params,
        .params_bytes = sizeof beam->params,
    };
    return beam->dispatch.program && rays_run(run, record_unwritten, beam, err) &&
           measure_unit_count_clear(session->hits, hits_bytes(beam), err);
}

void rays_beam_record(void *beam, struct gpu_batch *batch, uint64_t repeats)
{
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &((struct rays_beam *)beam)->dispatch);
}

void rays_beam_record_once(void *beam, struct gpu_batch *batch)
{
    rays_beam_record(beam, batch, 1);
}

bool rays_beam_measure(struct bench_visit *run, struct rays_beam *beam, uint64_t *repeats,
                       struct measure_span *span, struct error *err)
{
    const struct rays_session *session = run->session->state;
    struct measure_span_desc desc = bench_span_desc(run, rays_beam_record, beam);
    desc.rays = true;
    desc.repeats = *repeats;
    if (!measure_span_run(run->arena, &desc, span, err) ||
        !measure_unit_count_check(session->hits, hits_bytes(beam), &span->ran, err))
        return false;
    *repeats = span->repeats;
    run->session->warm = true;
    return true;
}

// ---------------------------------------------------------------- the proof

struct check {
    const struct rays_session *session;
    struct rays_check_params params;
};

static void record_check(void *context, struct gpu_batch *batch)
{
    const struct check *check = context;
    struct gpu_dispatch dispatch = {
        .program = check->session->check_all,
        .groups = {((1u << check->params.rays_log2) + RAYS_THREADS - 1) / RAYS_THREADS},
        .args = {{.buffer = check->session->hits}, {.buffer = check->session->result}},
        .params = &check->params,
        .params_bytes = sizeof check->params,
    };
    gpu_batch_dispatch(batch, &dispatch);
    dispatch.program = check->session->check_nearer;
    dispatch.groups[0] = RAYS_SLICES;
    dispatch.groups[1] = RAYS_SAMPLES;
    gpu_batch_dispatch(batch, &dispatch);
}

struct result_words {
    uint32_t unwritten, wrong, misses, first, compared;
};

static bool run_check(struct bench_visit *run, struct check *check, struct result_words *result,
                      struct error *err)
{
    struct gpu_buffer *buffer = check->session->result;
    *result = (struct result_words){.first = UINT32_MAX};
    return gpu_buffer_write(buffer, 0, result, sizeof *result, err) &&
           rays_run(run, record_check, check, err) &&
           gpu_buffer_read(buffer, 0, result, sizeof *result, err);
}

// First checks for a scene without a triangle, in which each hit must be wrong. Without this, a
// check that did not run would look like a success.
bool rays_beam_check(struct bench_visit *run, const struct rays_beam *beam, uint32_t *misses,
                     struct error *err)
{
    struct result_words result;
    const uint32_t rays = 1u << beam->rays_log2;
    struct check check = {
        .session = run->session->state,
        .params = {.rays = beam->rays,
                   .rays_log2 = beam->rays_log2,
                   .instances = beam->tree->desc.kind == GPU_TREE_INSTANCES,
                   .scene = beam->tree->scene},
    };
    check.params.scene.count = 0;
    if (!run_check(run, &check, &result, err))
        return false;
    uint32_t seen = result.unwritten + result.wrong + result.misses;
    if (seen != rays)
        return error_set(err, ERROR_MISMATCH, "the check looked at %u of %u rays", seen, rays);
    check.params.scene.count = beam->tree->scene.count;
    if (!run_check(run, &check, &result, err))
        return false;
    *misses = result.misses;
    if (result.compared != RAYS_SAMPLES * check.params.scene.count)
        return error_set(err, ERROR_MISMATCH,
                         "the check compared rays and primitives %u times, not %u times",
                         result.compared, RAYS_SAMPLES * check.params.scene.count);
    if (result.unwritten || result.wrong)
        return error_set(
            err, ERROR_MISMATCH,
            "of %u rays, %u were not traced; %u times a hit was wrong, the first is ray %u", rays,
            result.unwritten, result.wrong, result.first);
    return true;
}
