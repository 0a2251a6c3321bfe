// SPDX-License-Identifier: MIT
// Trees of triangles, boxes and instances: built, updated, copied and compacted, and what rays
// through them hit.
#include "conformance.h"

#include "gpu/kernels.h"
#include "gpu/rays.h"

#include <string.h>

enum {
    ROWS = 8,  // rows lie one after another along y; each gets one ray
    DEEP = 16, // primitives of a row, at x = 2, 3, …
    COUNT = ROWS * DEEP,
    RAYS = 64 // one workgroup
};

struct hit {
    uint32_t candidates, primitive, instance;
    float distance;
};

// A tree of one kind of geometry and the tree of one instance of it.
struct scene {
    struct gpu_buffer *input, *instances;
    struct gpu_tree *tree, *top;
};

static void write_triangles(struct gpu_buffer *input, float shift)
{
    struct error err = {0};
    float corners[COUNT][3][3];
    for (int i = 0; i < COUNT; i++) {
        const int row = i / DEEP;
        float x = shift + 2 + (float)(i % DEEP), y = (float)row;
        const float triangle[3][3] = {
            {x, y - 0.25f, -0.25f}, {x, y + 0.25f, -0.25f}, {x, y, 0.25f}};
        memcpy(corners[i], triangle, sizeof triangle);
    }
    assert_done(gpu_buffer_write(input, 0, corners, sizeof corners, &err), &err);
}

static void write_boxes(struct gpu_buffer *input)
{
    struct error err = {0};
    float boxes[COUNT][2][3];
    for (int i = 0; i < COUNT; i++) {
        const int row = i / DEEP;
        float x = 2 + (float)(i % DEEP), y = (float)row;
        const float box[2][3] = {{x, y - 0.25f, -0.25f}, {x + 0.5f, y + 0.25f, 0.25f}};
        memcpy(boxes[i], box, sizeof box);
    }
    assert_done(gpu_buffer_write(input, 0, boxes, sizeof boxes, &err), &err);
}

static void point_at(struct conformance *t, struct scene *scene, const struct gpu_tree *tree)
{
    const struct gpu_tree_instance instance = {.rows = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                               .number = 77,
                                               .mask = 0x0f,
                                               .tree = gpu_tree_address(tree)};
    struct error err = {0};
    (void)t;
    assert_done(gpu_buffer_write(scene->instances, 0, &instance, sizeof instance, &err), &err);
}

static struct gpu_batch *make_ray_batch(struct conformance *t)
{
    return make_batch(t, &(struct gpu_batch_desc){.rays = true});
}

// Builds the tree of geometry and then the tree of its instance.
static void build(struct conformance *t, const struct scene *scene)
{
    struct gpu_batch *batch = make_ray_batch(t);
    gpu_batch_tree_build(batch, scene->tree);
    gpu_batch_tree_build(batch, scene->top);
    end_and_run(batch);
}

static struct scene make_scene(struct conformance *t, struct gpu_tree_desc desc)
{
    struct error err = {0};
    struct scene scene = {.input = make_buffer(t, COUNT * sizeof(float[3][3]), GPU_MEMORY_DEVICE)};
    need(t, GPU_CAP(RAYS));
    scene.instances = make_buffer(t, sizeof(struct gpu_tree_instance), GPU_MEMORY_DEVICE);
    desc.input = scene.input;
    desc.count = COUNT;
    scene.tree = gpu_tree_create(t->scope, &desc, &err);
    assert_done(scene.tree, &err);
    const struct gpu_tree_desc top = {
        .kind = GPU_TREE_INSTANCES, .input = scene.instances, .count = 1};
    scene.top = gpu_tree_create(t->scope, &top, &err);
    assert_done(scene.top, &err);
    point_at(t, &scene, scene.tree);
    if (desc.kind == GPU_TREE_TRIANGLES)
        write_triangles(scene.input, 0);
    else
        write_boxes(scene.input);
    build(t, &scene);
    return scene;
}

static const struct hit *trace_by(struct conformance *t, struct gpu_program *program,
                                  const struct gpu_tree *top, uint32_t mask)
{
    uint64_t tree = gpu_tree_address(top);
    uint32_t params[3] = {(uint32_t)tree, (uint32_t)(tree >> 32), mask};
    struct gpu_buffer *hits = make_filled(t, RAYS * sizeof(struct hit) / 4, 0xdead);
    struct gpu_batch *batch = make_ray_batch(t);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = program,
                                                     .groups = {1},
                                                     .args = {{.buffer = hits}},
                                                     .params = params,
                                                     .params_bytes = sizeof params});
    end_and_run(batch);
    return (const struct hit *)read_words(t, hits, 0, RAYS * sizeof(struct hit) / 4);
}

static const struct hit *trace(struct conformance *t, const struct gpu_tree *top, uint32_t mask)
{
    need(t, GPU_CAP(RAY_QUERY));
    return trace_by(t, make_program(t, "conf_rays"), top, mask);
}

static struct gpu_program *make_pipeline(struct conformance *t, bool asks, bool boxes)
{
    struct error err = {0};
    const struct gpu_program_desc desc = {
        .kernel = kernel_find("conf_raygen"),
        .rays = {.miss = kernel_find("conf_miss"),
                 .closest_hit = kernel_find("conf_closest"),
                 .any_hit = asks ? kernel_find("conf_any") : NULL,
                 .intersection = boxes ? kernel_find("conf_meet") : NULL}};
    need(t, GPU_CAP(RAY_PIPELINE));
    struct gpu_program *program = gpu_program_create(t->scope, &desc, &err);
    assert_done(program, &err);
    return program;
}

// The rays of the rows hit the first triangle of their row; the other rays hit nothing.
static void expect_first(const struct hit *hits, float distance)
{
    for (uint32_t i = 0; i < RAYS; i++) {
        bool hit = i < ROWS;
        assert_int_equal(hits[i].candidates, 0);
        assert_int_equal(hits[i].primitive, hit ? i * DEEP : UINT32_MAX);
        assert_int_equal(hits[i].instance, hit ? 77 : UINT32_MAX);
        if (hit)
            assert_float_equal(hits[i].distance, distance, 1e-4);
    }
}

static void rays_hit_the_first_triangle(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    struct scene scene = make_scene(t, (struct gpu_tree_desc){.opaque = true});
    expect_first(trace(t, scene.top, 0xff), 2);
}

static void rays_with_another_mask_pass_an_instance(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    struct scene scene = make_scene(t, (struct gpu_tree_desc){.opaque = true, .fast_build = true});
    const struct hit *hits = trace(t, scene.top, 0xf0);
    for (uint32_t i = 0; i < RAYS; i++)
        assert_int_equal(hits[i].primitive, UINT32_MAX);
}

static void what_is_not_opaque_asks_the_kernel(void **state)
{
    static const enum gpu_tree_kind kinds[] = {GPU_TREE_TRIANGLES, GPU_TREE_BOXES};
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    for (int k = 0; k < 2; k++) {
        struct scene scene = make_scene(t, (struct gpu_tree_desc){.kind = kinds[k]});
        const struct hit *hits = trace(t, scene.top, 0xff);
        for (uint32_t i = 0; i < RAYS; i++) {
            assert_int_equal(hits[i].candidates, i < ROWS ? DEEP : 0);
            assert_int_equal(hits[i].primitive, UINT32_MAX);
        }
    }
}

static void pipelines_call_their_kernels(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    struct scene opaque = make_scene(t, (struct gpu_tree_desc){.opaque = true});
    expect_first(trace_by(t, make_pipeline(t, true, false), opaque.top, 0xff), 2);
    struct scene asking = make_scene(t, (struct gpu_tree_desc){.kind = GPU_TREE_TRIANGLES});
    const struct hit *hits = trace_by(t, make_pipeline(t, true, false), asking.top, 0xff);
    for (uint32_t i = 0; i < RAYS; i++) {
        assert_int_equal(hits[i].primitive, i < ROWS ? i * DEEP : UINT32_MAX);
        assert_in_range(hits[i].candidates, i < ROWS ? 1 : 0, i < ROWS ? DEEP : 0);
    }
    struct scene boxes = make_scene(t, (struct gpu_tree_desc){.kind = GPU_TREE_BOXES});
    hits = trace_by(t, make_pipeline(t, false, true), boxes.top, 0xff);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(hits[i].primitive, i * DEEP);
        assert_float_equal(hits[i].distance, (float)(2 * i * DEEP + 4), 1e-4);
    }
}

static void pipelines_without_their_kernels_are_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_program_desc desc = {.kernel = kernel_find("conf_raygen")};
    bool can = t->info->caps & GPU_CAP(RAY_PIPELINE);
    assert_refused(gpu_program_create(t->scope, &desc, &err), &err,
                   can ? ERROR_INTERNAL : ERROR_UNSUPPORTED,
                   can ? "is missing" : "VK_KHR_ray_tracing_pipeline");
    desc.kernel = kernel_find("conf_miss");
    assert_refused(gpu_program_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "a part of rays");
}

static void an_updated_tree_has_the_triangles_at_their_new_places(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    struct scene scene = make_scene(t, (struct gpu_tree_desc){.opaque = true, .updates = true});
    write_triangles(scene.input, 0.5f);
    struct gpu_batch *batch = make_ray_batch(t);
    gpu_batch_tree_update(batch, scene.tree);
    gpu_batch_tree_build(batch, scene.top);
    end_and_run(batch);
    expect_first(trace(t, scene.top, 0xff), 2.5f);
}

static void copies_and_compacted_trees_are_hit_alike(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    struct error err = {0};
    struct scene scene = make_scene(t, (struct gpu_tree_desc){.opaque = true, .compacts = true});
    for (int compact = 0; compact < 2; compact++) {
        uint64_t bytes = gpu_tree_bytes(scene.tree);
        if (compact) {
            assert_done(gpu_tree_compact_bytes(scene.tree, &bytes, &err), &err);
            assert_true(bytes > 0 && bytes <= gpu_tree_bytes(scene.tree));
        }
        struct gpu_tree *copy = gpu_tree_create_copy(t->scope, scene.tree, bytes, &err);
        assert_done(copy, &err);
        assert_int_equal(gpu_tree_bytes(copy), bytes);
        point_at(t, &scene, copy);
        struct gpu_batch *batch = make_ray_batch(t);
        gpu_batch_tree_copy(batch, copy, scene.tree, compact);
        gpu_batch_tree_build(batch, scene.top);
        end_and_run(batch);
        expect_first(trace(t, scene.top, 0xff), 2);
    }
}

static void wrong_trees_are_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_tree_desc desc = {.input = make_buffer(t, 36, GPU_MEMORY_DEVICE), .count = 2};
    if (!(t->info->caps & GPU_CAP(RAYS))) {
        assert_refused(gpu_tree_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                       "VK_KHR_acceleration_structure");
        return;
    }
    assert_refused(gpu_tree_create(t->scope, &desc, &err), &err, ERROR_INTERNAL, "tree");
    desc.count = 0;
    assert_refused(gpu_tree_create(t->scope, &desc, &err), &err, ERROR_INTERNAL, "0 primitives");
}

static void wrong_commands_are_refused(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(RAYS));
    uint64_t bytes;
    struct error err = {0};
    struct scene scene = make_scene(t, (struct gpu_tree_desc){.opaque = true});
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_tree_build(batch, scene.tree);
    assert_end_refused(batch, ERROR_INTERNAL, "not made for rays");
    batch = make_ray_batch(t);
    gpu_batch_tree_update(batch, scene.tree);
    assert_end_refused(batch, ERROR_INTERNAL, "without `updates`");
    batch = make_ray_batch(t);
    gpu_batch_tree_copy(batch, scene.tree, scene.tree, false);
    assert_end_refused(batch, ERROR_INTERNAL, "not made for the copy");
    assert_refused(gpu_tree_compact_bytes(scene.tree, &bytes, &err), &err, ERROR_INTERNAL,
                   "without `compacts`");
    struct gpu_tree *copy = gpu_tree_create_copy(t->scope, scene.tree, 1024, &err);
    assert_done(copy, &err);
    batch = make_ray_batch(t);
    gpu_batch_tree_build(batch, copy);
    assert_end_refused(batch, ERROR_INTERNAL, "that is a copy");
    batch = make_ray_batch(t);
    gpu_batch_tree_copy(batch, copy, scene.tree, true);
    assert_end_refused(batch, ERROR_INTERNAL, "without `compacts`");
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(rays_hit_the_first_triangle),
    CONFORMANCE_TEST(rays_with_another_mask_pass_an_instance),
    CONFORMANCE_TEST(what_is_not_opaque_asks_the_kernel),
    CONFORMANCE_TEST(pipelines_call_their_kernels),
    CONFORMANCE_TEST(pipelines_without_their_kernels_are_refused),
    CONFORMANCE_TEST(an_updated_tree_has_the_triangles_at_their_new_places),
    CONFORMANCE_TEST(copies_and_compacted_trees_are_hit_alike),
    CONFORMANCE_TEST(wrong_trees_are_refused),
    CONFORMANCE_TEST(wrong_commands_are_refused),
};

const struct suite rays_suite = CONFORMANCE_SUITE("rays", tests);
