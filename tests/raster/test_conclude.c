// SPDX-License-Identifier: MIT
// The findings about a rasteriser, from a run made by hand.
#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_raster;

static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    return run;
}

struct made {
    const char *keys[3], *texts[3];
    int side; // −1: none
    const char *metric;
    double median, limit;
};

static struct result *add(struct run *run, const struct made *made)
{
    struct result *result = run_add_result(run);
    struct case_value *values = ARENA_ARRAY(run->arena, 4, struct case_value);
    size_t count = 0;
    for (int i = 0; i < 3 && made->keys[i]; i++)
        values[count++] =
            (struct case_value){.key = made->keys[i], .type = PARAM_TEXT, .text = made->texts[i]};
    if (made->side >= 0)
        values[count++] =
            (struct case_value){.key = "side", .type = PARAM_UINT, .uint = (uint64_t)made->side};
    *result = (struct result){.benchmark = "raster",
                              .device = "vulkan:0",
                              .bench_case = {values, count},
                              .metrics = ARENA_NEW(run->arena, struct metric),
                              .metric_count = 1};
    result->metrics[0] =
        (struct metric){.name = made->metric, .median = made->median, .limit = made->limit};
    result->key = case_key(run->arena, "raster", &result->bench_case);
    return result;
}

static void add_triangles(struct run *run, const char *facing, int side, double rate)
{
    add(run, &(struct made){{"work", "facing"}, {"triangles", facing}, side, "triangles", rate, 0});
}

static void says(const struct run *run, const char *code, const char *words, size_t keys)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, code) == 0) {
            if (!strstr(run->findings[i].text, words))
                fail_msg("%s does not say \"%s\"", run->findings[i].text, words);
            assert_int_equal(run->findings[i].key_count, keys);
            return;
        }
    fail_msg("no finding %s", code);
}

static void triangles_are_bound_by_pixels_where_their_rate_has_halved(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_triangles(run, "culled", 1, 900e6);
    add_triangles(run, "front", 32, 20e6);
    add_triangles(run, "front", 8, 200e6);
    add_triangles(run, "front", 4, 420e6);
    add_triangles(run, "front", 1, 430e6);
    bench_raster.conclude(run, "vulkan:0");
    says(run, "raster-triangles", "430.0 million drawn triangles", 2);
    says(run, "raster-triangles", "from 8 pixels a side on", 2);
    assert_int_equal(run->finding_count, 1);
    run_destroy(run);
}

static void small_triangles_alone_tell_no_bound(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_triangles(run, "front", 1, 430e6);
    bench_raster.conclude(run, "vulkan:0");
    says(run, "raster-triangles", "drawn triangles", 1);
    assert_int_equal(run->finding_count, 1);
    run_destroy(run);
}

static void blending_is_held_against_the_same_format(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run,
        &(struct made){
            {"work", "format", "blend"}, {"pixels", "rgba16_float", "none"}, -1, "pixels", 1e9, 0});
    add(run,
        &(struct made){
            {"work", "format", "blend"}, {"pixels", "rgba8_unorm", "alpha"}, -1, "pixels", 6e9, 0});
    add(run,
        &(struct made){
            {"work", "format", "blend"}, {"pixels", "rgba8_unorm", "none"}, -1, "pixels", 8e9, 0});
    bench_raster.conclude(run, "vulkan:0");
    says(run, "raster-blend", "blended pixels of rgba8_unorm", 2);
    assert_true(run->findings[0].value == 0.75);
    run_destroy(run);
}

static void depth_and_cores_are_told_where_they_were_measured(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run, &(struct made){{"work", "depth"}, {"depth", "reject"}, -1, "pixels", 500e9, 0});
    add(run, &(struct made){{"work", "depth"}, {"depth", "write"}, -1, "pixels", 10e9, 0});
    add(run, &(struct made){{"work"}, {"cores"}, -1, "cores", 4, 132});
    struct result *failed =
        add(run, &(struct made){{"work", "facing"}, {"triangles", "front"}, 1, "triangles", 1, 0});
    failed->verdict = VERDICT_FAILED;
    bench_raster.conclude(run, "vulkan:0");
    says(run, "raster-cores", "4 of 132 cores draw", 1);
    says(run, "raster-depth", "50.00 times the rate", 2);
    assert_int_equal(run->finding_count, 2);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_bound_by_pixels_where_their_rate_has_halved),
        cmocka_unit_test(small_triangles_alone_tell_no_bound),
        cmocka_unit_test(blending_is_held_against_the_same_format),
        cmocka_unit_test(depth_and_cores_are_told_where_they_were_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
