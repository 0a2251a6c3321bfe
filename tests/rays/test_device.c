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

// Given a beam whose hits are right, when the rays with odd numbers miss instead, then the check
// fails: it compares rays of all threads of a subgroup with the primitives.
static void rays_that_miss_in_some_threads_are_a_mismatch(struct bench_visit *run,
                                                          const struct rays_beam *beam,
                                                          const struct rays_hit *right)
{
    const struct rays_session *session = run->session->state;
    const uint64_t bytes = sizeof *right << beam->rays_log2;
    struct rays_hit *hits =
        ARENA_ARRAY(run->session->arena, 1u << beam->rays_log2, struct rays_hit);
    struct error err;
    uint32_t misses;
    memcpy(hits, right, bytes);
    for (uint32_t i = 1; i < 1u << beam->rays_log2; i += 2)
        hits[i] = (struct rays_hit){.primitive = UINT32_MAX, .instance = UINT32_MAX};
    assert_true(gpu_buffer_write(session->hits, 0, hits, bytes, &err));
    assert_false(rays_beam_check(run, beam, &misses, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_true(gpu_buffer_write(session->hits, 0, right, bytes, &err));
    assert_true(rays_beam_check(run, beam, &misses, &err));
}

static struct {
    const struct gpu_backend *really;
    const struct gpu_program *lost; // the program whose dispatches are lost
    unsigned checks, checks_before; // dispatches of a check so far, and before rays are blind
    const struct gpu_program *check;
} driver;

// Loses the dispatches of driver.lost. After some checks, traces rays that see no instance.
static bool dispatch_wrongly(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                             struct error *err)
{
    struct gpu_dispatch blind = *dispatch;
    struct rays_trace_params params;
    driver.checks += dispatch->program == driver.check;
    if (dispatch->program == driver.lost)
        return true;
    if (driver.check && driver.checks >= driver.checks_before &&
        dispatch->params_bytes == sizeof params) {
        memcpy(&params, dispatch->params, sizeof params);
        params.mask = 0;
        blind.params = &params;
    }
    return driver.really->batch_dispatch(batch, &blind, err);
}

// Given right hits, when the kernel that looks for nearer primitives is lost, then the check fails.
static void a_lost_check_is_a_mismatch(struct bench_visit *run, const struct rays_beam *beam)
{
    const struct rays_session *session = run->session->state;
    struct gpu_device *device = run->session->device;
    struct gpu_backend wrong = *device->backend;
    struct error err;
    uint32_t misses;
    memset(&driver, 0, sizeof driver);
    driver.really = device->backend;
    driver.lost = session->check_nearer;
    wrong.batch_dispatch = dispatch_wrongly;
    device->backend = &wrong;
    bool proven = rays_beam_check(run, beam, &misses, &err);
    device->backend = driver.really;
    assert_false(proven);
    assert_int_equal(err.code, ERROR_MISMATCH);
}

// Given updates that are right, when the rays that are timed after them hit nothing, then there is
// no number.
static void rays_after_an_update_are_verified(void **state)
{
    static const char key[] = "work=build/of=triangles/task=update/primitives=600";
    struct workbench *bench = *state;
    if (!workbench_expect(bench, GPU_CAP(RAYS), key))
        return;
    const struct rays_session *session = bench->session.state;
    struct gpu_device *device = bench->session.device;
    struct gpu_backend wrong = *device->backend;
    memset(&driver, 0, sizeof driver);
    driver.really = device->backend;
    driver.check = session->check_all;
    driver.checks_before = 2; // rays_beam_check has two dispatches of it
    wrong.batch_dispatch = dispatch_wrongly;
    device->backend = &wrong;
    bool done = workbench_visit(bench, key);
    device->backend = driver.really;
    assert_false(done);
    assert_int_equal(bench->err.code, ERROR_MISMATCH);
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
    rays_that_miss_in_some_threads_are_a_mismatch(&run, &beam, hits);
    a_lost_check_is_a_mismatch(&run, &beam);
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
        WORKBENCH_TEST(bench_rays, rays_after_an_update_are_verified),
    };
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
