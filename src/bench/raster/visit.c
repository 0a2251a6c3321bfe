// SPDX-License-Identifier: MIT
#include "bench/raster/session.h"
#include "measure/span.h"

#include <math.h>

// Data of a case that the session keeps from one visit to the next.
struct memory {
    // With change=program, timed draws use both programs in turn, else programs[0].
    struct gpu_draw_program *programs[2];
    struct gpu_draw_program *depth_only, *depth_test;
    uint64_t repeats;
};

struct job {
    struct bench_visit *run;
    struct raster_session *session;
    struct raster_case this_case;
    struct raster_work work;
    struct memory *memory;
    struct gpu_target *target;
};

// ---------------------------------------------------------------- programs

// Creates a program; if `fragment` is NULL, a program that writes only depth. Returns NULL with
// `err` on failure.
static struct gpu_draw_program *make(struct job *job, const char *fragment, enum gpu_depth depth,
                                     bool culls, struct error *err)
{
    bool mesh = job->this_case.kind == RASTER_TRIANGLES || job->this_case.kind == RASTER_DRAWS;
    const struct gpu_draw_program_desc desc = {
        .vertex = kernel_find(mesh ? "raster_mesh" : "raster_layers"),
        .fragment = fragment ? kernel_find(fragment) : NULL,
        .target = job->target,
        .blend = job->this_case.blend,
        .depth = depth,
        .cull = culls,
    };
    return gpu_draw_program_create(job->session->bench->scope, &desc, err);
}

static bool make_programs(struct job *job, struct error *err)
{
    static const char *const layers[] = {[GPU_BLEND_NONE] = "raster_cover",
                                         [GPU_BLEND_ALPHA] = "raster_alpha",
                                         [GPU_BLEND_ADD] = "raster_add"};
    static const enum gpu_depth uses[] = {
        [RASTER_DEPTH_OFF] = GPU_DEPTH_OFF,     [RASTER_DEPTH_TEST] = GPU_DEPTH_TEST,
        [RASTER_DEPTH_REJECT] = GPU_DEPTH_TEST, [RASTER_DEPTH_WRITE] = GPU_DEPTH_WRITE,
        [RASTER_DEPTH_BOTH] = GPU_DEPTH_WRITE,
    };
    const struct raster_case *this_case = &job->this_case;
    struct memory *memory = job->memory;
    if (this_case->kind == RASTER_DEPTH) {
        bool colorless = this_case->depth == RASTER_DEPTH_WRITE;
        const char *fragment = colorless ? NULL : "raster_cover";
        return (memory->programs[0] = make(job, fragment, uses[this_case->depth], false, err)) &&
               (memory->depth_only = make(job, NULL, GPU_DEPTH_WRITE, false, err)) &&
               (memory->depth_test = make(job, "raster_cover", GPU_DEPTH_TEST, false, err));
    }
    const char *fragment = this_case->kind == RASTER_TRIANGLES ? "raster_number"
                           : this_case->kind == RASTER_DRAWS   ? "raster_one"
                                                               : layers[this_case->blend];
    for (int i = 0; i < 2; i++)
        if (!(memory->programs[i] = make(job, fragment, GPU_DEPTH_OFF, this_case->culled, err)))
            return false;
    return true;
}

// ---------------------------------------------------------------- drawing

static struct gpu_draw draw_of(const struct job *job, struct gpu_draw_program *program)
{
    return (struct gpu_draw){
        .program = program,
        .target = job->target,
        .vertices = job->work.vertices,
        .instances = job->work.instances,
        .load = job->work.clears ? GPU_LOAD_CLEAR : GPU_LOAD_KEEP,
        .params = &job->work.params,
        .params_bytes = job->work.params_bytes,
    };
}

// Records `repeats` units of work. The draws of a unit share a render pass; the barrier before the
// next unit ends the pass.
static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct job *job = context;
    struct raster_mesh_params mesh = job->work.params.mesh;
    for (uint64_t i = 0; i < repeats; i++) {
        struct gpu_draw draw = draw_of(job, job->memory->programs[0]);
        if (job->work.draws > 1 && i > 0)
            gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
        for (uint32_t d = 0; d < job->work.draws; d++) {
            if (job->this_case.change == RASTER_CHANGE_PARAMS) {
                mesh.first = d;
                draw.params = &mesh;
            } else if (job->this_case.change == RASTER_CHANGE_PROGRAM) {
                draw.program = job->memory->programs[d % 2];
            }
            gpu_batch_draw(batch, &draw);
            draw.load = GPU_LOAD_KEEP;
        }
    }
}

// Clears the target, so that an earlier image cannot pass the check, and draws one layer or
// triangle. With depth=reject, this layer is so near that all timed layers but the last fail the
// depth test.
static bool prepare(struct job *job, struct error *err)
{
    const struct raster_layers_params near = {.farthest = 0.125f};
    struct gpu_draw draw = draw_of(job, job->memory->programs[0]);
    draw.load = GPU_LOAD_CLEAR;
    draw.instances = 1;
    draw.vertices = 3;
    if (job->this_case.kind == RASTER_DEPTH && job->this_case.depth == RASTER_DEPTH_REJECT) {
        draw.program = job->memory->depth_only;
        draw.params = &near;
    }
    return raster_draw_once(job->session, &draw, job->run->request->timeout_ns, err);
}

// ---------------------------------------------------------------- the proof

// Draws triangles that drew no pixel (culled, too small) again, now visible. Each cell of the grid
// must then show its last triangle.
static bool verify_unseen(struct job *job, struct error *err)
{
    struct raster_mesh_params mesh = job->work.params.mesh;
    struct gpu_draw draw = draw_of(job, job->memory->programs[0]);
    struct raster_check_params check = job->work.check;
    mesh.seen = 1;
    mesh.seen_leg = mesh.leg;
    check.hidden = 0;
    check.row = check.side;
    check.triangles = job->work.redrawn;
    draw.load = GPU_LOAD_CLEAR;
    draw.vertices = 3 * job->work.redrawn;
    draw.params = &mesh;
    return raster_draw_once(job->session, &draw, job->run->request->timeout_ns, err) &&
           raster_check(job->session, job->target, &check, err);
}

// Checks the depths that depth=write wrote: a slightly farther layer must be hidden, and a slightly
// nearer layer visible.
static bool verify_depth(struct job *job, struct error *err)
{
    const struct raster_layers_params *params = &job->work.params.layers;
    float last = params->farthest - params->nearer * (RASTER_LAYERS - 1);
    struct raster_check_params check = job->work.check;
    for (int nearer = 0; nearer < 2; nearer++) {
        const struct raster_layers_params at = {.farthest = last + params->nearer *
                                                                       (nearer ? -0.25f : 0.25f)};
        struct gpu_draw draw = draw_of(job, job->memory->depth_test);
        draw.load = GPU_LOAD_KEEP;
        draw.instances = 1;
        draw.params = &at;
        check.layers = 0;
        if (nearer)
            check.pattern = RASTER_COVER;
        if (!raster_draw_once(job->session, &draw, job->run->request->timeout_ns, err) ||
            !raster_check(job->session, job->target, &check, err))
            return error_prefix(err,
                                nearer ? "a nearer layer is hidden" : "a farther layer is seen");
    }
    return true;
}

static bool verify(struct job *job, struct error *err)
{
    if (!raster_check(job->session, job->target, &job->work.check, err))
        return false;
    if (job->work.redrawn > 0)
        return verify_unseen(job, err);
    return job->this_case.kind != RASTER_DEPTH || job->this_case.depth != RASTER_DEPTH_WRITE ||
           verify_depth(job, err);
}

// ---------------------------------------------------------------- the numbers

static void report_per_cycle(const struct job *job, const struct measure_span *span, double amount,
                             struct measure_visit *visit)
{
    if (!span->core_hz)
        return;
    double *values = ARENA_ARRAY(job->run->arena, span->count, double);
    size_t count = 0;
    double step = 0; // the step of values[0], which is the first sample with a known core clock
    for (size_t i = 0; i < span->count; i++) {
        if (!isfinite(span->core_hz[i]))
            continue;
        values[count++] = amount * 1e9 / span->unit_ns[i] / span->core_hz[i];
        if (count == 1)
            step = values[0] * span->step_ns / span->unit_ns[i];
    }
    if (count)
        visit_samples(visit, RASTER_PER_CYCLE, values, count, step);
}

static void report(const struct job *job, const struct measure_span *span,
                   struct measure_visit *visit)
{
    const struct raster_case *this_case = &job->this_case;
    const struct raster_work *work = &job->work;
    const struct raster_census *census = &job->session->census;
    double main = work->pixels;
    if (this_case->kind == RASTER_TRIANGLES)
        measure_span_rate(span, main = work->triangles, RASTER_TRIANGLE_RATE, visit);
    else if (this_case->kind == RASTER_DRAWS)
        measure_span_rate(span, main = work->draws, RASTER_DRAW_RATE, visit);
    if (work->pixels > 0 && this_case->kind != RASTER_DRAWS)
        measure_span_rate(span, work->pixels, RASTER_PIXEL_RATE, visit);
    if (this_case->kind == RASTER_PIXELS)
        measure_span_rate(span,
                          work->pixels * gpu_format_bytes(this_case->format) *
                              (this_case->blend == GPU_BLEND_NONE ? 1 : 2),
                          RASTER_BANDWIDTH, visit);
    measure_span_note(span, visit);
    report_per_cycle(job, span, main, visit);
    visit_detail(visit, "shape", "%u draws of %u triangles, target of %u x %u pixels", work->draws,
                 work->vertices / 3 * work->instances, work->target, work->target);
    if (census->known)
        visit_detail(visit, "cores", "%u of %llu draw", census->cores,
                     (unsigned long long)job->run->session->info->limits.cores);
    else
        visit_detail(visit, "cores", "not known: kernels cannot read the core's id");
}

// ---------------------------------------------------------------- visits

static bool visit_cores(struct bench_visit *run, struct raster_session *session,
                        struct measure_visit *visit, struct error *err)
{
    const char *columns[] = {"core", "pixels"};
    unsigned count = run->request->samples ? run->request->samples : 1;
    double *samples = ARENA_ARRAY(run->arena, count, double);
    struct raster_census *census = ARENA_NEW(run->arena, struct raster_census);
    if (!gpu_require(run->session->info, GPU_CAP(CORE_ID), err))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!raster_census_take(session, census, err))
            return false;
        samples[i] = census->cores;
    }
    visit_samples(visit, RASTER_CORE_COUNT, samples, count, 0);
    visit_limit(visit, RASTER_CORE_COUNT, (double)run->session->info->limits.cores);
    double *cell = visit_series(visit, "pixels", columns, COUNT(columns), census->cores)->data;
    for (unsigned core = 0; core < RASTER_CORES_MAX; core++)
        if (census->pixels[core]) {
            *cell++ = core;
            *cell++ = census->pixels[core];
        }
    return true;
}

// Sets job->target and job->memory. At the case's first visit, also creates the programs.
static bool prepare_job(struct job *job, struct error *err)
{
    const struct gpu_target_desc desc = {.format = job->this_case.format,
                                         .width = job->work.target,
                                         .height = job->work.target,
                                         .depth = job->this_case.kind == RASTER_DEPTH};
    job->target = raster_target(job->session, &desc, err);
    if (!job->target)
        return false;
    job->memory = *job->run->memory;
    if (job->memory)
        return true;
    job->memory = ARENA_NEW(job->run->session->arena, struct memory);
    if (!make_programs(job, err))
        return false;
    *job->run->memory = job->memory;
    return true;
}

bool raster_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct job job = {.run = run, .session = run->session->state};
    raster_case_read(run->bench_case, &job.this_case);
    if (job.this_case.kind == RASTER_CORES)
        return visit_cores(run, job.session, visit, err);
    raster_work_plan(&job.this_case, run->session->info, &job.work);
    if (!prepare_job(&job, err) || !prepare(&job, err))
        return false;
    struct measure_span_desc desc = bench_span_desc(run, record, &job);
    desc.unordered = job.work.draws > 1;
    desc.draws = true;
    desc.repeats = job.memory->repeats;
    desc.repeats_max = job.work.draws > 1 ? 64 : 0;
    struct measure_span span;
    if (!measure_span_run(run->arena, &desc, &span, err) || !verify(&job, err))
        return false;
    run->session->warm = true;
    job.memory->repeats = span.repeats;
    report(&job, &span, visit);
    return true;
}
