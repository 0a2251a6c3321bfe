// SPDX-License-Identifier: MIT
// Measures how long it takes to build, update and copy trees. Before the samples, the tree has the
// primitives at other places. So the rays of the check hit the right primitives only if the timed
// commands changed the tree.
#include "bench/rays/session.h"
#include "measure/claim.h"

// Primitives move by at most half of this length along each axis of the unit cube.
static const float move = 0.05f;

struct memory {
    uint64_t repeats, rays_repeats[2];
};

struct job {
    struct bench_visit *run;
    enum rays_task task;
    struct memory *memory;
    struct rays_tree tree;
    // the tree that timed commands copy to tree.tree; NULL if the task is no copy
    struct gpu_tree *source;
    uint64_t bytes; // size in bytes of the tree that the timed commands write
};

static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct job *job = context;
    for (uint64_t i = 0; i < repeats; i++) {
        if (job->source)
            gpu_batch_tree_copy(batch, job->tree.tree, job->source, job->task == RAYS_TASK_COMPACT);
        else if (job->task == RAYS_TASK_UPDATE)
            gpu_batch_tree_update(batch, job->tree.tree);
        else
            gpu_batch_tree_build(batch, job->tree.tree);
    }
}

static void record_once(void *job, struct gpu_batch *batch)
{
    record(job, batch, 1);
}

// Moves the primitives in the input of builds. Existing trees do not change.
static bool move_primitives(struct job *job, struct error *err)
{
    job->tree.scene.move = move;
    return rays_tree_fill(job->run, &job->tree, err);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Copies the tree once, then rebuilds the source of the copy from moved primitives. So the check
// shows whether the timed copies changed the target.
static bool prepare_copy(struct job *job, struct error *err)
{
    struct gpu_tree *source = job->tree.tree;
    bool compact = job->task == RAYS_TASK_COMPACT;
    uint64_t before = gpu_tree_bytes(source);
    if (compact && !gpu_tree_compact_bytes(source, &before, err))
        return false;
    if (!move_primitives(job, err) || !rays_build(job->run, source, err))
        return false;
    job->bytes = gpu_tree_bytes(source);
    if (compact && !gpu_tree_compact_bytes(source, &job->bytes, err))
        return false;
    // The first copy must have the primitives at their old places.
    job->tree.scene.move = 0;
    job->tree.tree = gpu_tree_create_copy(job->run->scope, source, larger(before, job->bytes), err);
    if (!job->tree.tree || !rays_tree_fill(job->run, &job->tree, err) ||
        !rays_build(job->run, source, err))
        return false;
    job->source = source;
    return rays_run(job->run, record_once, job, err) && move_primitives(job, err) &&
           rays_build(job->run, source, err);
}

static bool prepare(struct job *job, struct error *err)
{
    if (!rays_tree_make(job->run, &job->tree, err))
        return false;
    job->bytes = gpu_tree_bytes(job->tree.tree);
    if (job->task == RAYS_TASK_COPY || job->task == RAYS_TASK_COMPACT)
        return prepare_copy(job, err);
    return move_primitives(job, err);
}

static struct rays_beam beam_of(const struct job *job)
{
    const struct rays_session *session = job->run->session->state;
    return (struct rays_beam){.tree = &job->tree,
                              .rays = RAYS_RANDOM,
                              .rays_log2 = session->scene_rays_log2,
                              .pipeline = rays_by_pipeline(job->run),
                              .mode =
                                  job->tree.desc.kind == GPU_TREE_BOXES ? RAYS_ASKED : RAYS_OPAQUE};
}

// Traces rays through the tree that the timed commands changed, and checks the hits.
static bool verify(struct job *job, struct error *err)
{
    uint32_t misses;
    if (!rays_tree_top(job->run, &job->tree, err))
        return false;
    struct rays_beam beam = beam_of(job);
    return rays_beam_prepare(job->run, &beam, err) &&
           rays_run(job->run, rays_beam_record_once, &beam, err) &&
           rays_beam_check(job->run, &beam, &misses, err);
}

// Times rays through the tree, and checks their hits.
static bool time_rays(struct job *job, uint64_t *repeats, struct measure_visit *visit, double *ns,
                      struct error *err)
{
    struct measure_span span;
    uint32_t misses;
    if (!rays_tree_top(job->run, &job->tree, err))
        return false;
    struct rays_beam beam = beam_of(job);
    if (!rays_beam_prepare(job->run, &beam, err) ||
        !rays_beam_measure(job->run, &beam, repeats, &span, err) ||
        !rays_beam_check(job->run, &beam, &misses, err))
        return false;
    visit->device_time_ns += span.device_time_ns;
    *ns = measure_median(job->run->arena, span.unit_ns, span.count);
    return true;
}

// Measures how an update changes the rate of later rays: rate after an update ÷ rate after a build.
static bool compare_rays(struct job *job, struct measure_visit *visit, struct error *err)
{
    double updated_ns, built_ns;
    if (!time_rays(job, &job->memory->rays_repeats[0], visit, &updated_ns, err) ||
        !rays_build(job->run, job->tree.tree, err) ||
        !time_rays(job, &job->memory->rays_repeats[1], visit, &built_ns, err))
        return false;
    const double ratio = built_ns / updated_ns;
    visit_samples(visit, RAYS_AFTER_UPDATE, &ratio, 1, 0);
    return true;
}

static void report(const struct job *job, const struct measure_span *span,
                   struct measure_visit *visit)
{
    const double count = job->tree.scene.count, bytes = (double)job->bytes / count;
    // MEASURE_OTHER is the class without a limit. No limit is known for the rate of builds.
    const struct measure_claim claim = {.results[MEASURE_OTHER] = count};
    const struct measure_account account = {.claim = &claim, .span = span, .visit = visit};
    measure_claim_report(&account, RAYS_BUILD_RATE, MEASURE_PER_SECOND, count);
    measure_span_note(span, visit);
    visit_samples(visit, RAYS_TREE_BYTES, &bytes, 1, 0);
    visit_detail(visit, "shape", "%u primitives, a tree of %llu bytes", job->tree.scene.count,
                 (unsigned long long)job->bytes);
}

bool rays_visit_build(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    static const uint32_t scenes[] = {[GPU_TREE_TRIANGLES] = RAYS_SOUP,
                                      [GPU_TREE_BOXES] = RAYS_BALLS,
                                      [GPU_TREE_INSTANCES] = RAYS_SOUP};
    const enum gpu_tree_kind kind = (enum gpu_tree_kind)case_choice(run->bench_case, "of");
    struct job job = {.run = run,
                      .task = (enum rays_task)case_choice(run->bench_case, "task"),
                      .memory = *run->memory};
    if (!job.memory)
        *run->memory = job.memory = ARENA_NEW(run->session->arena, struct memory);
    job.tree.scene =
        rays_scene_of(scenes[kind], (uint32_t)case_uint(run->bench_case, "primitives"));
    job.tree.desc = (struct gpu_tree_desc){.kind = kind,
                                           .opaque = kind != GPU_TREE_BOXES,
                                           .fast_build = job.task == RAYS_TASK_FAST_BUILD,
                                           .updates = job.task == RAYS_TASK_UPDATE,
                                           .compacts = job.task == RAYS_TASK_COMPACT};
    struct measure_span_desc desc = bench_span_desc(run, record, &job);
    desc.rays = true;
    desc.repeats = job.memory->repeats;
    struct measure_span span;
    if (!prepare(&job, err) || !measure_span_run(run->arena, &desc, &span, err) ||
        !verify(&job, err))
        return false;
    job.memory->repeats = span.repeats;
    run->session->warm = true;
    report(&job, &span, visit);
    return job.task != RAYS_TASK_UPDATE || compare_rays(&job, visit, err);
}
