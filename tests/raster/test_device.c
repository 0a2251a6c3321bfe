// SPDX-License-Identifier: MIT
// Every kind of drawing measured and verified on the device that is there, and the proof itself put
// to the test: an image that is not what it should be gives MISMATCH, no number.
#include "bench/raster/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct benchmark bench_raster;

struct fixture {
    struct workbench bench;
    struct raster_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_raster))
        return -1;
    f->own = f->bench.session.state;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

static void need_graphics(const struct fixture *f)
{
    if (!(f->bench.session.info->caps & GPU_CAP(GRAPHICS)))
        skip();
}

static struct case_value text(const char *key, const char *value)
{
    return (struct case_value){.key = key, .type = PARAM_TEXT, .text = value};
}

static bool visit(struct fixture *f, struct case_value *values, size_t count, void **memory,
                  struct measure_visit **seen, struct arena *arena, struct error *err)
{
    const struct bench_case this_case = {values, count};
    const struct measure_request request = {.samples = 2,
                                            .sample_ns = 100000,
                                            .timeout_ns = UINT64_C(20000000000),
                                            .round = *memory ? 1 : 0};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    *seen = measure_visit_create(arena);
    bool done = bench_raster.visit(&run, *seen, err);
    gpu_scope_close(run.scope);
    return done;
}

// Visits the case twice; the metric is there, finite and above 0 in both.
static void expect_metric(struct fixture *f, struct case_value *values, size_t count,
                          enum raster_metric metric)
{
    void *memory = NULL;
    for (int round = 0; round < 2; round++) {
        struct error err = {0};
        struct measure_visit *seen;
        struct arena *arena = arena_create();
        if (!visit(f, values, count, &memory, &seen, arena, &err)) {
            if (err.code == ERROR_UNSUPPORTED) {
                print_message("%s\n", err.message);
                arena_destroy(arena);
                return;
            }
            fail_msg("%s %s: %s", values[1].key, values[1].text ? values[1].text : "", err.message);
        }
        assert_true(seen->metrics[metric].count >= 2);
        for (size_t i = 0; i < seen->metrics[metric].count; i++)
            assert_true(isfinite(seen->metrics[metric].values[i]) &&
                        seen->metrics[metric].values[i] > 0);
        arena_destroy(arena);
    }
}

static void triangles_of_every_size_are_where_they_belong(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    static const unsigned sides[] = {0, 1, 3, 8, 100};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        for (int culled = 0; culled < 2; culled++) {
            struct case_value values[] = {
                text("work", "triangles"),
                text("facing", culled ? "culled" : "front"),
                {.key = "side", .type = PARAM_UINT, .uint = sides[i]},
            };
            expect_metric(f, values, 3, RASTER_TRIANGLE_RATE);
        }
}

static void pixels_of_every_format_and_blending_are_what_they_should_be(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    static const char *const formats[] = {
        "r8_unorm",   "rg8_unorm",    "rgba8_unorm", "rgb10a2_unorm", "rg11b10_float", "r16_float",
        "rg16_float", "rgba16_float", "r32_float",   "rg32_float",    "rgba32_float"};
    static const char *const blends[] = {"none", "alpha", "add"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (size_t b = 0; b < 3; b++) {
            struct case_value values[] = {text("work", "pixels"), text("format", formats[i]),
                                          text("blend", blends[b])};
            expect_metric(f, values, 3, RASTER_BANDWIDTH);
        }
}

static void depth_hides_what_it_should(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    static const char *const depths[] = {"off", "test", "reject", "write", "test-write"};
    for (size_t i = 0; i < 5; i++) {
        struct case_value values[] = {text("work", "depth"), text("depth", depths[i])};
        expect_metric(f, values, 2, RASTER_PIXEL_RATE);
    }
}

static void every_draw_counts(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    static const char *const changes[] = {"none", "params", "program"};
    for (size_t i = 0; i < 3; i++) {
        struct case_value values[] = {text("work", "draws"), text("change", changes[i])};
        expect_metric(f, values, 2, RASTER_DRAW_RATE);
    }
}

static void cores_are_counted_or_said_to_be_unknown(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    struct case_value values[] = {text("work", "cores")};
    struct error err = {0};
    struct measure_visit *seen;
    void *memory = NULL;
    struct arena *arena = arena_create();
    bool done = visit(f, values, 1, &memory, &seen, arena, &err);
    bool has_ids = f->bench.session.info->caps & GPU_CAP(CORE_ID);
    assert_int_equal(done, has_ids);
    if (done) {
        double cores = seen->metrics[RASTER_CORE_COUNT].values[0];
        assert_true(cores >= 1 && cores <= (double)f->bench.session.info->limits.cores);
    } else {
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
    arena_destroy(arena);
}

// One layer fewer, a triangle more, another blending: each is seen.
static void a_wrong_image_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    need_graphics(f);
    struct case_value values[] = {text("work", "triangles"),
                                  text("facing", "front"),
                                  {.key = "side", .type = PARAM_UINT, .uint = 4}};
    const struct bench_case this_case = {values, 3};
    struct raster_case of;
    struct raster_work work;
    struct error err = {0};
    expect_metric(f, values, 3, RASTER_TRIANGLE_RATE);
    assert_true(raster_case_read(&this_case, &of, &err));
    raster_work_plan(&of, f->bench.session.info, &work);
    struct gpu_target *target = f->own->targets[f->own->target_count - 1];
    assert_true(raster_check(f->own, target, &work.check, &err));
    work.check.triangles++;
    assert_false(raster_check(f->own, target, &work.check, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    work.check.pattern = RASTER_NOTHING;
    assert_false(raster_check(f->own, target, &work.check, &err));

    struct case_value layers[] = {text("work", "pixels"), text("format", "rgba8_unorm"),
                                  text("blend", "add")};
    const struct bench_case pixels = {layers, 3};
    expect_metric(f, layers, 3, RASTER_PIXEL_RATE);
    assert_true(raster_case_read(&pixels, &of, &err));
    raster_work_plan(&of, f->bench.session.info, &work);
    assert_true(raster_check(f->own, target, &work.check, &err));
    work.check.unit[1] *= 1 + 2.0f / RASTER_LAYERS;
    assert_false(raster_check(f->own, target, &work.check, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(triangles_of_every_size_are_where_they_belong),
        EACH(pixels_of_every_format_and_blending_are_what_they_should_be),
        EACH(depth_hides_what_it_should),
        EACH(every_draw_counts),
        EACH(cores_are_counted_or_said_to_be_unknown),
        EACH(a_wrong_image_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
