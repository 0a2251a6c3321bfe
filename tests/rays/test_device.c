// SPDX-License-Identifier: MIT
// Measures and verifies every kind of work of `rays` through queries and pipelines. Tests the
// verification, too.
#include "bench/rays/session.h"
#include "workbench.h"

#include <string.h>

extern const struct benchmark bench_rays;

static const struct {
    const char *name;
    gpu_caps needed;
} ways[] = {{"query", GPU_CAP(RAYS) | GPU_CAP(RAY_QUERY)},
            {"pipeline", GPU_CAP(RAYS) | GPU_CAP(RAY_PIPELINE)}};

static void expect(struct workbench *bench, int way, enum rays_metric metric, const char *wanted)
{
    if (workbench_expect(bench, ways[way].needed, "%s/through=%s", wanted, ways[way].name))
        workbench_samples(bench, metric);
}

static void rows_are_crossed_whole(void **state)
{
    static const char *const works[] = {"triangle", "box", "any-hit", "procedural"};
    static const char *const flags[] = {"fast-trace", "fast-build"};
    struct workbench *bench = *state;
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < 4; i++)
            expect(bench, way, RAYS_CROSSING,
                   arena_printf(bench->session.arena, "work=%s/flag=%s", works[i], flags[i % 2]));
}

static void rays_through_every_scene_hit_what_they_should(void **state)
{
    static const char *const cases[] = {
        "scene=spheres/order=camera/hits=opaque", "scene=spheres/order=ordered/hits=any-hit",
        "scene=spheres/order=random/hits=procedural", "scene=soup/order=random/hits=opaque",
        "scene=thin/order=ordered/hits=any-hit"};
    struct workbench *bench = *state;
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < COUNT(cases); i++)
            expect(bench, way, RAYS_RATE,
                   arena_printf(bench->session.arena, "work=rays/%s/primitives=500", cases[i]));
}

static void a_chain_of_rays_takes_its_time(void **state)
{
    struct workbench *bench = *state;
    for (int way = 0; way < 2; way++)
        expect(bench, way, RAYS_LATENCY, "work=latency/primitives=300");
}

// The run file has the time of a ray through more and more of the same row, so a reader can judge
// the line.
static void the_points_of_a_row_are_kept(void **state)
{
    struct workbench *bench = *state;
    for (int way = 0; way < 2; way++) {
        if (!workbench_expect(bench, ways[way].needed, "work=any-hit/flag=fast-trace/through=%s",
                              ways[way].name))
            continue;
        assert_int_equal(bench->seen->series_count, 1);
        const struct series *points = bench->seen->series;
        assert_int_equal(points->row_count, 8);
        assert_int_equal(points->column_count, 3); // primitives, and a time for each of two rows
        for (size_t i = 0; i < points->row_count; i++) {
            const double *point = points->data + i * points->column_count;
            assert_true(point[0] == 96 * (double)(i + 2));
            for (size_t row = 1; row < points->column_count; row++)
                assert_true(point[row] > 0);
        }
    }
}

// A driver with statistics states the registers of queries, and perhaps nothing of pipelines.
static void the_size_of_the_kernels_is_what_the_driver_tells(void **state)
{
    static const char *const hits[] = {"opaque", "any-hit", "procedural"};
    struct workbench *bench = *state;
    for (size_t i = 0; i < COUNT(hits); i++) {
        if (workbench_expect(bench, ways[0].needed | GPU_CAP(KERNEL_STATS),
                             "work=size/through=query/hits=%s", hits[i])) {
            workbench_samples(bench, RAYS_REGISTERS);
            assert_int_equal(bench->seen->device_time_ns, 0);
        }
        if (workbench_visit(bench, "work=size/through=pipeline/hits=%s", hits[i]))
            assert_string_equal(bench->seen->details[0].name, "statistics");
        else
            assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
    }
}

static void trees_of_everything_are_built_updated_and_copied(void **state)
{
    static const char *const kinds[] = {"triangles", "boxes", "instances"};
    static const char *const tasks[] = {"fast-trace", "fast-build", "update", "copy", "compact"};
    struct workbench *bench = *state;
    gpu_caps needed = GPU_CAP(RAYS);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t t = 0; t < COUNT(tasks); t++) {
            if (!workbench_expect(bench, needed, "work=build/of=%s/task=%s/primitives=600",
                                  kinds[k], tasks[t]))
                continue;
            workbench_samples(bench, RAYS_BUILD_RATE);
            workbench_samples(bench, RAYS_TREE_BYTES);
            if (strcmp(tasks[t], "update") == 0)
                workbench_samples(bench, RAYS_AFTER_UPDATE);
        }
}

// The hits of the last visit are right. With another distance, or for a scene with primitives
// elsewhere, they are not.
static void a_wrong_hit_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    if (!workbench_expect(bench, ways[0].needed,
                          "work=rays/scene=spheres/order=camera/hits=opaque/primitives=1024"))
        return;
    const struct rays_session *session = bench->session.state;
    struct rays_tree tree = {.scene = rays_scene_of(RAYS_SPHERES, 1024)};
    const struct rays_beam beam = {
        .tree = &tree, .rays = RAYS_CAMERA, .rays_log2 = session->scene_rays_log2};
    struct bench_visit run = {.session = &bench->session};
    struct error err;
    uint32_t misses, hit = 0;
    struct rays_hit *hits =
        ARENA_ARRAY(bench->session.arena, 1u << beam.rays_log2, struct rays_hit);
    assert_true(
        gpu_buffer_read(session->hits, 0, hits, sizeof *hits << beam.rays_log2, &bench->err));
    while (hits[hit].primitive == UINT32_MAX)
        hit++;

    assert_true(rays_beam_check(&run, &beam, &misses, &err));
    assert_true(misses > 0 && misses < 1u << beam.rays_log2);
    workbench_flip(session->hits, hit * sizeof *hits + offsetof(struct rays_hit, distance),
                   1 << 18);
    assert_false(rays_beam_check(&run, &beam, &misses, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    workbench_flip(session->hits, hit * sizeof *hits + offsetof(struct rays_hit, distance),
                   1 << 18);
    assert_true(rays_beam_check(&run, &beam, &misses, &err));
    // A device that says that all is done, but runs nothing, proves nothing.
    struct gpu_device *device = bench->session.device;
    const struct gpu_backend *really = device->backend;
    struct gpu_backend idle = workbench_idle(device);
    device->backend = &idle;
    bool proven = rays_beam_check(&run, &beam, &misses, &err);
    device->backend = really;
    assert_false(proven);
    assert_int_equal(err.code, ERROR_MISMATCH);
    tree.scene.move = 0.05f;
    assert_false(rays_beam_check(&run, &beam, &misses, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    // One ray may be wrong beside several primitives, so the message does not count rays.
    assert_non_null(strstr(err.message, " times a hit was wrong, "));
}

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    const struct CMUnitTest tests[] = {
        WORKBENCH_TEST(bench_rays, rows_are_crossed_whole),
        WORKBENCH_TEST(bench_rays, rays_through_every_scene_hit_what_they_should),
        WORKBENCH_TEST(bench_rays, a_chain_of_rays_takes_its_time),
        WORKBENCH_TEST(bench_rays, the_points_of_a_row_are_kept),
        WORKBENCH_TEST(bench_rays, the_size_of_the_kernels_is_what_the_driver_tells),
        WORKBENCH_TEST(bench_rays, trees_of_everything_are_built_updated_and_copied),
        WORKBENCH_TEST(bench_rays, a_wrong_hit_is_a_mismatch),
    };
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
