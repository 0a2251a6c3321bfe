// SPDX-License-Identifier: MIT
// Declares the trees that the cases of `rays` build, the rays that they trace, and what the cases
// of a session share.
#ifndef BENCH_RAYS_SESSION_H
#define BENCH_RAYS_SESSION_H

#include "bench/bench.h"
#include "bench/rays/rays.h"
#include "gpu/rays.h"

// enum rays_work and enum rays_task have the order of the choices of the parameters `work` and
// `task`.
enum rays_work {
    RAYS_WORK_TRIANGLE,   // rays cross a row of culled triangles
    RAYS_WORK_BOX,        // rays cross boxes of instances; a mask hides all but the last one
    RAYS_WORK_ANY_HIT,    // rays cross a row of triangles; a kernel counts each triangle
    RAYS_WORK_PROCEDURAL, // rays cross a row of boxes; a kernel counts each box
    RAYS_WORK_RAYS,
    RAYS_WORK_LATENCY,
    RAYS_WORK_SIZE,
    RAYS_WORK_BUILD
};

enum rays_task {
    RAYS_TASK_FAST_TRACE,
    RAYS_TASK_FAST_BUILD,
    RAYS_TASK_UPDATE,
    RAYS_TASK_COPY,
    RAYS_TASK_COMPACT
};

enum rays_metric { // the metrics, in the order of the list in rays.c
    RAYS_CROSSING,
    RAYS_CYCLES,
    RAYS_CROSSINGS,
    RAYS_PER_CYCLE,
    RAYS_RATE,
    RAYS_LATENCY,
    RAYS_LATENCY_CYCLES,
    RAYS_REGISTERS,
    RAYS_LOCAL_BYTES,
    RAYS_STACK_BYTES,
    RAYS_BUILD_RATE,
    RAYS_TREE_BYTES,
    RAYS_AFTER_UPDATE
};

// Parameters of the kernels; scene.glsl, trace.glsl and check.comp declare the same structs.
struct rays_scene {
    uint32_t kind, count, side;
    float size, move;
};
struct rays_trace_params {
    uint32_t tree[2], rays, rays_log2, mask;
    float start;
    struct rays_scene scene;
};
struct rays_check_params {
    uint32_t rays, rays_log2, instances;
    struct rays_scene scene;
};

struct rays_session {
    struct gpu_program *scene, *check_all, *check_nearer;
    // The hits of one dispatch: a struct rays_hit for each ray. Then the number of dispatches that
    // have written them.
    struct gpu_buffer *hits;
    // Results of the checks, five numbers: rays without a record; errors in hits (a ray may have
    // several); rays that hit nothing; the lowest index of a ray without a record or with an error;
    // and how often a ray was compared with a primitive.
    struct gpu_buffer *result;
    uint32_t scene_rays_log2, row_rays_log2, chain_rays_log2;
};

struct rays_hit {
    uint32_t candidates, primitive, instance;
    float distance;
};

MUST_CHECK bool rays_open(struct bench_session *bench, struct error *err);
MUST_CHECK bool rays_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err);

// ---------------------------------------------------------------- tree.c

// The trees of a visit. `tree` is the tree that is measured. Rays enter through `top`: a tree with
// one instance of `tree`, or `tree` itself if it already consists of instances.
struct rays_tree {
    struct rays_scene scene;
    struct gpu_tree_desc desc;
    struct gpu_buffer *input;
    struct gpu_tree *tree;     // tree that is measured, of the kind desc.kind
    struct gpu_tree *triangle; // tree that instances refer to; NULL if `tree` has no instances
    // input of the build of `top`: one instance of `tree`; NULL if `top` is `tree`
    struct gpu_buffer *instance;
    // Tree through which rays are traced. If `tree` has instances, it is `tree`. Otherwise it is a
    // tree with one instance of `tree`.
    struct gpu_tree *top;
};

// Makes a batch, lets `record` record it, submits it, and waits for its end.
MUST_CHECK bool rays_run(struct bench_visit *run, void (*record)(void *, struct gpu_batch *),
                         void *context, struct error *err);

// Builds a tree from its input.
MUST_CHECK bool rays_build(struct bench_visit *run, struct gpu_tree *tree, struct error *err);

// Returns a scene of this kind with about `count` primitives, at their usual places (not moved).
struct rays_scene rays_scene_of(uint32_t kind, uint32_t count);

// Writes the primitives of tree->scene into a new buffer, tree->input. Creates and builds all
// trees. Also sets the input and the count of tree->desc.
MUST_CHECK bool rays_tree_make(struct bench_visit *run, struct rays_tree *tree, struct error *err);

// Creates and builds tree->triangle, which instances refer to: the triangle (0,0,0) (1,0,0)
// (0,1,0).
MUST_CHECK bool rays_tree_triangle(struct bench_visit *run, struct rays_tree *tree,
                                   struct error *err);

// Creates and builds tree->tree from the primitives in tree->input, and sets tree->top.
MUST_CHECK bool rays_tree_build(struct bench_visit *run, struct rays_tree *tree, struct error *err);

// Writes the primitives of tree->scene into tree->input. Existing trees do not change.
MUST_CHECK bool rays_tree_fill(struct bench_visit *run, struct rays_tree *tree, struct error *err);

// Sets tree->top, through which rays are traced. If tree->tree has instances, tree->top is the same
// tree. Otherwise tree->top has one instance of tree->tree: the first call creates it, and each
// call builds it.
MUST_CHECK bool rays_tree_top(struct bench_visit *run, struct rays_tree *tree, struct error *err);

// ---------------------------------------------------------------- trace.c

// Returns true if a pipeline traces the case's rays, false if queries do. In cases that build
// trees, a pipeline traces them only if the device lacks queries.
bool rays_by_pipeline(const struct bench_visit *run);

// A set of rays, and the tree through which they are traced.
struct rays_beam {
    const struct rays_tree *tree;
    uint32_t rays, rays_log2; // kind of rays (RAYS_CAMERA …), and log2 of their number
    uint32_t mode;            // what a kernel does with crossed primitives: RAYS_OPAQUE …
    uint32_t mask;
    float start;                     // x at which rays of the kind RAYS_ROW begin
    bool pipeline;                   // true: a pipeline traces the rays; false: queries do
    struct gpu_dispatch dispatch;    // the dispatch that traces the rays; rays_beam_prepare sets it
    struct rays_trace_params params; // the kernel's parameters; rays_beam_prepare sets them
};

// Returns the program that traces the rays of `beam` through its tree; NULL with `err` on failure.
struct gpu_program *rays_beam_program(struct bench_visit *run, const struct rays_beam *beam,
                                      struct error *err);

// Creates the beam's program and its dispatch. Marks the hits of all rays as unwritten, and sets
// the number of dispatches to 0.
MUST_CHECK bool rays_beam_prepare(struct bench_visit *run, struct rays_beam *beam,
                                  struct error *err);

// rays_beam_record records the dispatch of a beam `repeats` times, as a measure_record
// (measure/span.h). rays_beam_record_once records it once, for rays_run.
void rays_beam_record(void *beam, struct gpu_batch *batch, uint64_t repeats);
void rays_beam_record_once(void *beam, struct gpu_batch *batch);

// Measures the time of the dispatch that traces the beam, which rays_beam_prepare has just
// prepared. Fails with ERROR_MISMATCH if a dispatch was lost. *repeats is the number of dispatches
// per sample from the case's last measurement, or 0 if there was none. The function updates it.
MUST_CHECK bool rays_beam_measure(struct bench_visit *run, struct rays_beam *beam,
                                  uint64_t *repeats, struct measure_span *span, struct error *err);

// Fails with ERROR_MISMATCH if a ray was not traced, or if its hit does not lie on the primitive
// that the hit names. For some rays, also fails if another primitive is nearer than the hit. Sets
// *misses to the number of rays that hit nothing.
MUST_CHECK bool rays_beam_check(struct bench_visit *run, const struct rays_beam *beam,
                                uint32_t *misses, struct error *err);

// ---------------------------------------------------------------- row.c, build.c

MUST_CHECK bool rays_visit_row(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);
MUST_CHECK bool rays_visit_build(struct bench_visit *run, struct measure_visit *visit,
                                 struct error *err);

#endif
