// SPDX-License-Identifier: MIT
#include "bench/raster/session.h"

enum {
    // Width and height in pixels of the target over which raster_census_take draws.
    CENSUS_SIDE = 1024
};
static const uint64_t wait_ns = UINT64_C(10000000000);

struct gpu_target *raster_target(struct raster_session *session, const struct gpu_target_desc *desc,
                                 struct error *err)
{
    struct raster_target *known = session->targets;
    while (known && (known->desc.format != desc->format || known->desc.depth != desc->depth ||
                     known->desc.width != desc->width))
        known = known->older;
    if (known)
        return known->target;
    struct gpu_target *target = gpu_target_create(session->bench->scope, desc, err);
    if (!target)
        return NULL;
    known = ARENA_NEW(session->bench->arena, struct raster_target);
    *known = (struct raster_target){session->targets, *desc, target};
    session->targets = known;
    return target;
}

bool raster_draw_once(struct raster_session *session, const struct gpu_draw *draw,
                      uint64_t timeout_ns, struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(session->bench->device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.draws = true}, err);
    if (batch)
        gpu_batch_draw(batch, draw);
    bool done = batch && gpu_batch_end(batch, err) && gpu_batch_run(batch, timeout_ns, err);
    gpu_scope_close(scope);
    return done;
}

// ---------------------------------------------------------------- the cores that draw

static bool draw_census(struct raster_session *session, struct gpu_scope *scope,
                        struct raster_census *census, struct error *err)
{
    const struct gpu_target_desc target = {
        .format = GPU_FORMAT_RGBA8_UNORM, .width = CENSUS_SIDE, .height = CENSUS_SIDE};
    const struct gpu_buffer_desc counts = {.bytes = sizeof census->pixels};
    const struct raster_layers_params params = {.farthest = 0.5f};
    struct gpu_draw_program_desc desc = {.vertex = kernel_find("raster_layers"),
                                         .fragment = kernel_find("raster_cores")};
    struct gpu_draw draw = {.vertices = 3,
                            .instances = 1,
                            .load = GPU_LOAD_DISCARD,
                            .params = &params,
                            .params_bytes = sizeof params};
    return (desc.target = draw.target = raster_target(session, &target, err)) &&
           (draw.args[0].buffer = gpu_buffer_create(scope, &counts, err)) &&
           (draw.program = gpu_draw_program_create(scope, &desc, err)) &&
           gpu_buffer_write(draw.args[0].buffer, 0, census->pixels, counts.bytes, err) &&
           raster_draw_once(session, &draw, wait_ns, err) &&
           gpu_buffer_read(draw.args[0].buffer, 0, census->pixels, counts.bytes, err);
}

bool raster_census_take(struct raster_session *session, struct raster_census *census,
                        struct error *err)
{
    *census = (struct raster_census){.known = session->bench->info->caps & GPU_CAP(CORE_ID)};
    if (!census->known)
        return true;
    struct gpu_scope *scope = gpu_scope_open(session->bench->device);
    bool done = draw_census(session, scope, census, err);
    gpu_scope_close(scope);
    uint64_t pixels = 0;
    for (unsigned i = 0; i < RASTER_CORES_MAX; i++) {
        pixels += census->pixels[i];
        census->cores += census->pixels[i] != 0;
    }
    if (done && pixels != (uint64_t)CENSUS_SIDE * CENSUS_SIDE)
        return error_set(err, ERROR_MISMATCH, "the cores counted %llu pixels of %d x %d",
                         (unsigned long long)pixels, CENSUS_SIDE, CENSUS_SIDE);
    return done;
}

// ---------------------------------------------------------------- the proof

static bool count_wrong(struct raster_session *session, struct gpu_target *target,
                        const struct raster_check_params *params, uint32_t result[4],
                        struct error *err)
{
    const uint32_t none[4] = {0, UINT32_MAX, 0, 0};
    struct gpu_scope *scope = gpu_scope_open(session->bench->device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.draws = true}, err);
    bool done = batch && gpu_buffer_write(session->result, 0, none, sizeof none, err);
    if (done) {
        uint32_t pixels = params->width * params->height;
        gpu_batch_barrier_target(batch, target);
        gpu_batch_dispatch(
            batch, &(struct gpu_dispatch){
                       .program = session->check,
                       .groups = {(pixels + RASTER_CHECK_THREADS - 1) / RASTER_CHECK_THREADS},
                       .args = {{.image = gpu_target_image(target)}, {.buffer = session->result}},
                       .params = params,
                       .params_bytes = sizeof *params});
        done = gpu_batch_end(batch, err) && gpu_batch_run(batch, wait_ns, err) &&
               gpu_buffer_read(session->result, 0, result, sizeof none, err);
    }
    gpu_scope_close(scope);
    return done;
}

// First checks with a tolerance that no pixel keeps, so all pixels must be wrong. Without this, a
// check that did not run would look like a success.
bool raster_check(struct raster_session *session, struct gpu_target *target,
                  const struct raster_check_params *params, struct error *err)
{
    uint32_t result[4], pixels = params->width * params->height;
    struct raster_check_params strict = *params;
    for (unsigned channel = 0; channel < 4; channel++)
        strict.tolerance[channel] = -1;
    if (!count_wrong(session, target, &strict, result, err))
        return false;
    if (result[0] != pixels)
        return error_set(err, ERROR_MISMATCH, "the check looked at %u of %u pixels", result[0],
                         pixels);
    bool done = count_wrong(session, target, params, result, err);
    if (!done || result[0] == 0)
        return done;
    return error_set(err, ERROR_MISMATCH, "%u of %u x %u pixels are wrong, the first at (%u, %u)",
                     result[0], params->width, params->height, result[1] % params->width,
                     result[1] / params->width);
}

// ---------------------------------------------------------------- the session

bool raster_open(struct bench_session *bench, struct error *err)
{
    struct raster_session *session = ARENA_NEW(bench->arena, struct raster_session);
    bench->state = session;
    session->bench = bench;
    session->check = measure_program(&bench->programs, "raster_check", NULL, err);
    return session->check &&
           (session->result = bench_buffer(bench->scope, 16, GPU_MEMORY_DEVICE, err)) &&
           bench_clock_probe(bench, err) && raster_census_take(session, &session->census, err);
}
