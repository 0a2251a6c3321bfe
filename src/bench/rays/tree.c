// SPDX-License-Identifier: MIT
#include "bench/rays/session.h"

#include <math.h>

enum {
    GROUPS_X = 32768 // maximum number of workgroups along x, in dispatches of scene.comp
};
static const uint64_t wait_ns = UINT64_C(10000000000);

bool rays_run(struct bench_visit *run, void (*record)(void *, struct gpu_batch *), void *context,
              struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(run->session->device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.rays = true}, err);
    if (batch)
        record(context, batch);
    bool done = batch && gpu_batch_end(batch, err) && gpu_batch_run(batch, wait_ns, err);
    gpu_scope_close(scope);
    return done;
}

// ---------------------------------------------------------------- scenes

struct rays_scene rays_scene_of(uint32_t kind, uint32_t count)
{
    struct rays_scene scene = {.kind = kind, .count = count};
    uint32_t spheres = count;
    if (kind == RAYS_SPHERES) {
        spheres = count < RAYS_SPHERE ? 1 : count / RAYS_SPHERE;
        scene.count = spheres * RAYS_SPHERE;
    }
    while (scene.side * scene.side * scene.side < spheres)
        scene.side++;
    // With more triangles, each is smaller, so that a ray through the cube always meets about one.
    scene.size = (float)(1.5 / sqrt((double)count));
    return scene;
}

struct fill {
    struct gpu_program *program;
    const struct rays_tree *tree;
    // tree that instances refer to; NULL if the primitives are no instances
    struct gpu_tree *triangle;
};

static void record_fill(void *context, struct gpu_batch *batch)
{
    const struct fill *fill = context;
    const uint64_t address = fill->triangle ? gpu_tree_address(fill->triangle) : 0;
    const struct {
        uint32_t tree[2];
        struct rays_scene scene;
    } params = {{(uint32_t)address, (uint32_t)(address >> 32)}, fill->tree->scene};
    uint32_t groups = (fill->tree->scene.count + RAYS_THREADS - 1) / RAYS_THREADS;
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){
                                  .program = fill->program,
                                  .groups = {groups < GROUPS_X ? groups : GROUPS_X,
                                             (groups + GROUPS_X - 1) / GROUPS_X},
                                  .args = {{.buffer = fill->tree->input}},
                                  .params = &params,
                                  .params_bytes = sizeof params,
                              });
}

bool rays_tree_fill(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    const struct rays_session *session = run->session->state;
    struct fill fill = {.program = session->scene, .tree = tree, .triangle = tree->triangle};
    return rays_run(run, record_fill, &fill, err);
}

// ---------------------------------------------------------------- trees

static void record_build(void *tree, struct gpu_batch *batch)
{
    gpu_batch_tree_build(batch, tree);
}

bool rays_build(struct bench_visit *run, struct gpu_tree *tree, struct error *err)
{
    return rays_run(run, record_build, tree, err);
}

bool rays_tree_triangle(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    static const float corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    struct gpu_tree_desc desc = {.count = 1, .opaque = tree->desc.opaque};
    desc.input = bench_buffer(run->scope, sizeof corners, GPU_MEMORY_DEVICE, err);
    return desc.input && gpu_buffer_write(desc.input, 0, corners, sizeof corners, err) &&
           (tree->triangle = gpu_tree_create(run->scope, &desc, err)) &&
           rays_build(run, tree->triangle, err);
}

bool rays_tree_top(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    if (tree->desc.kind == GPU_TREE_INSTANCES) {
        tree->top = tree->tree;
        return true;
    }
    const struct gpu_tree_instance instance = {.rows = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                               .mask = 0xff,
                                               .tree = gpu_tree_address(tree->tree)};
    struct gpu_tree_desc desc = {.kind = GPU_TREE_INSTANCES, .count = 1};
    if (!tree->top) {
        desc.input = tree->instance =
            bench_buffer(run->scope, sizeof instance, GPU_MEMORY_DEVICE, err);
        tree->top = tree->instance ? gpu_tree_create(run->scope, &desc, err) : NULL;
    }
    return tree->top && gpu_buffer_write(tree->instance, 0, &instance, sizeof instance, err) &&
           rays_build(run, tree->top, err);
}

bool rays_tree_build(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    tree->desc.input = tree->input;
    tree->desc.count = tree->scene.count;
    return (tree->tree = gpu_tree_create(run->scope, &tree->desc, err)) &&
           rays_build(run, tree->tree, err) && rays_tree_top(run, tree, err);
}

bool rays_tree_make(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    static const uint64_t bytes[] = {[GPU_TREE_TRIANGLES] = sizeof(float[3][3]),
                                     [GPU_TREE_BOXES] = sizeof(float[2][3]),
                                     [GPU_TREE_INSTANCES] = sizeof(struct gpu_tree_instance)};
    if (tree->desc.kind == GPU_TREE_INSTANCES && !rays_tree_triangle(run, tree, err))
        return false;
    tree->input = bench_buffer(run->scope, tree->scene.count * bytes[tree->desc.kind],
                               GPU_MEMORY_DEVICE, err);
    return tree->input && rays_tree_fill(run, tree, err) && rays_tree_build(run, tree, err);
}
