// SPDX-License-Identifier: MIT
// Measures and verifies every kind of drawing on the device that is there. Tests the verification,
// too: a wrong image gives MISMATCH and no number.
#include "bench/raster/session.h"
#include "workbench.h"

extern const struct benchmark bench_raster;

// Returns an open workbench. If the device cannot draw, the test is skipped.
static struct workbench *bench_of(void **state)
{
    struct workbench *bench = *state;
    if (!(bench->session.info->caps & GPU_CAP(GRAPHICS)))
        skip();
    return bench;
}

// Visits the case twice. Each visit has samples of the metric, finite and above 0. A device may
// refuse a format that it lacks.
static void expect_metric(struct workbench *bench, enum raster_metric metric, const char *wanted)
{
    for (int round = 0; round < 2; round++) {
        if (!workbench_visit(bench, "%s", wanted)) {
            if (bench->err.code != ERROR_UNSUPPORTED)
                fail_msg("%s: %s", wanted, bench->err.message);
            print_message("%s: %s\n", wanted, bench->err.message);
            return;
        }
        assert_true(workbench_samples(bench, metric)->count >= 2);
    }
}

static void triangles_of_every_size_are_where_they_belong(void **state)
{
    struct workbench *bench = bench_of(state);
    static const unsigned sides[] = {0, 1, 3, 8, 100};
    static const char *const facings[] = {"front", "culled"};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        for (int f = 0; f < 2; f++)
            expect_metric(bench, RASTER_TRIANGLE_RATE,
                          arena_printf(bench->session.arena, "work=triangles/facing=%s/side=%u",
                                       facings[f], sides[i]));
}

static void pixels_of_every_format_and_blending_are_what_they_should_be(void **state)
{
    struct workbench *bench = bench_of(state);
    static const char *const formats[] = {
        "r8_unorm",   "rg8_unorm",    "rgba8_unorm", "rgb10a2_unorm", "rg11b10_float", "r16_float",
        "rg16_float", "rgba16_float", "r32_float",   "rg32_float",    "rgba32_float"};
    static const char *const blends[] = {"none", "alpha", "add"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (size_t b = 0; b < 3; b++)
            expect_metric(bench, RASTER_BANDWIDTH,
                          arena_printf(bench->session.arena, "work=pixels/format=%s/blend=%s",
                                       formats[i], blends[b]));
}

static void depth_hides_what_it_should(void **state)
{
    struct workbench *bench = bench_of(state);
    expect_metric(bench, RASTER_PIXEL_RATE, "work=depth/depth=off");
    expect_metric(bench, RASTER_PIXEL_RATE, "work=depth/depth=test");
    expect_metric(bench, RASTER_PIXEL_RATE, "work=depth/depth=reject");
    expect_metric(bench, RASTER_PIXEL_RATE, "work=depth/depth=write");
    expect_metric(bench, RASTER_PIXEL_RATE, "work=depth/depth=test-write");
}

static void every_draw_counts(void **state)
{
    struct workbench *bench = bench_of(state);
    expect_metric(bench, RASTER_DRAW_RATE, "work=draws/change=none");
    expect_metric(bench, RASTER_DRAW_RATE, "work=draws/change=params");
    expect_metric(bench, RASTER_DRAW_RATE, "work=draws/change=program");
}

static void cores_are_counted_or_reported_as_unknown(void **state)
{
    struct workbench *bench = bench_of(state);
    bool done = workbench_visit(bench, "work=cores");
    bool has_ids = bench->session.info->caps & GPU_CAP(CORE_ID);
    assert_int_equal(done, has_ids);
    if (done) {
        double cores = bench->seen->metrics[RASTER_CORE_COUNT].values[0];
        assert_true(cores >= 1 && cores <= (double)bench->session.info->limits.cores);
    } else {
        assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
    }
}

static struct raster_check_params check_of(struct workbench *bench, const char *wanted)
{
    const struct bench_case parsed = workbench_case(bench, "%s", wanted);
    struct raster_case this_case;
    struct raster_work work;
    raster_case_read(&parsed, &this_case);
    raster_work_plan(&this_case, bench->session.info, &work);
    return work.check;
}

// Given a session that drew into targets of many widths, when another width is asked for, then
// there is room for it: `fathom serve` measures all its cases in one session.
static void a_session_has_room_for_targets_of_any_width(void **state)
{
    struct workbench *bench = bench_of(state);
    struct error err;
    for (uint32_t width = 1; width <= 40; width++) {
        const struct gpu_target_desc desc = {
            .format = GPU_FORMAT_RGBA8_UNORM, .width = width, .height = width};
        struct gpu_target *target = raster_target(bench->session.state, &desc, &err);
        assert_non_null(target);
        assert_ptr_equal(raster_target(bench->session.state, &desc, &err), target);
    }
}

// One triangle more, one layer fewer and another blending are each noticed.
static void a_wrong_image_is_a_mismatch(void **state)
{
    static const char triangles[] = "work=triangles/facing=front/side=4";
    static const char layers[] = "work=pixels/format=rgba8_unorm/blend=add";
    struct workbench *bench = bench_of(state);
    struct raster_session *own = bench->session.state;
    struct error err = {0};
    expect_metric(bench, RASTER_TRIANGLE_RATE, triangles);
    struct raster_check_params check = check_of(bench, triangles);
    struct gpu_target *target = own->targets->target;
    assert_true(raster_check(own, target, &check, &err));
    check.triangles++;
    assert_false(raster_check(own, target, &check, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    check.pattern = RASTER_NOTHING;
    assert_false(raster_check(own, target, &check, &err));

    expect_metric(bench, RASTER_PIXEL_RATE, layers);
    check = check_of(bench, layers);
    assert_true(raster_check(own, target, &check, &err));
    check.unit[1] *= 1 + 2.0f / RASTER_LAYERS;
    assert_false(raster_check(own, target, &check, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

// Given a device that says that all is done but runs nothing, then a correct image is not taken for
// proven.
static void a_check_that_does_not_run_proves_nothing(void **state)
{
    static const char triangles[] = "work=triangles/facing=front/side=4";
    struct workbench *bench = bench_of(state);
    struct raster_session *own = bench->session.state;
    struct gpu_device *device = bench->session.device;
    const struct gpu_backend *really = device->backend;
    struct gpu_backend idle = workbench_idle(device);
    struct error err = {0};
    expect_metric(bench, RASTER_TRIANGLE_RATE, triangles);
    const struct raster_check_params check = check_of(bench, triangles);
    assert_true(raster_check(own, own->targets->target, &check, &err));
    device->backend = &idle;
    bool proven = raster_check(own, own->targets->target, &check, &err);
    device->backend = really;
    assert_false(proven);
    assert_int_equal(err.code, ERROR_MISMATCH);
}

#define EACH(test) WORKBENCH_TEST(bench_raster, test)

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
        EACH(cores_are_counted_or_reported_as_unknown),
        EACH(a_session_has_room_for_targets_of_any_width),
        EACH(a_wrong_image_is_a_mismatch),
        EACH(a_check_that_does_not_run_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
