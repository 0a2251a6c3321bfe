// SPDX-License-Identifier: MIT
// Tests the first screen of the page: what it shows of a device, of a device without results, and
// of foreign text. How it looks is tested in a browser (tests/web/page.test.mjs).
#include "report/picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct param_info params[] = {
    {.key = "bytes", .type = PARAM_BYTES, .unit = UNIT_BYTE, .role = PARAM_AXIS},
};
static const struct metric_info metrics[] = {
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
};
static const struct headline_info headlines[] = {
    {.kind = HEADLINE_LEVELS,
     .title = "latency",
     .metric = "latency",
     .by = "bytes",
     .section = CARD_LATENCY,
     .row = "latency"},
};
static const struct benchmark_info latency = {.name = "latency",
                                              .version = 1,
                                              .params = params,
                                              .param_count = 1,
                                              .metrics = metrics,
                                              .metric_count = 1,
                                              .headlines = headlines,
                                              .headline_count = 1};

static const struct param_info map_params[] = {{.key = "level", .type = PARAM_UINT}};
static const struct metric_info map_metrics[] = {{.name = "size", .unit = UNIT_BYTE}};
static const struct headline_info map_headlines[] = {
    {.kind = HEADLINE_LEVELS, .title = "size", .metric = "size", .by = "level"}};
static const struct benchmark_info map = {.name = "map",
                                          .version = 1,
                                          .params = map_params,
                                          .param_count = 1,
                                          .metrics = map_metrics,
                                          .metric_count = 1,
                                          .headlines = map_headlines,
                                          .headline_count = 1};

static struct run *run_of(const char *name)
{
    struct run *run = run_create();
    run->status = RUN_COMPLETE;
    run_add_benchmark(run, &latency);
    struct run_device *device = run_add_device(run);
    device->id = "vulkan:0";
    device->name = name;
    return run;
}

static void add_case(struct run *run, double octave, double ns, enum verdict verdict)
{
    struct result *result = run_add_result(run);
    uint64_t bytes = (uint64_t)round(exp2(octave));
    result->key = arena_printf(run->arena, "latency/bytes=%llu", (unsigned long long)bytes);
    result->benchmark = "latency";
    result->version = 1;
    result->device = "vulkan:0";
    result->verdict = verdict;
    result->bench_case.values = ARENA_ARRAY(run->arena, 1, struct case_value);
    result->bench_case.values[0] =
        (struct case_value){.key = "bytes", .type = PARAM_BYTES, .role = PARAM_AXIS, .uint = bytes};
    result->bench_case.value_count = 1;
    result->metrics = ARENA_ARRAY(run->arena, 1, struct metric);
    result->metrics[0] = (struct metric){.name = "latency",
                                         .unit = UNIT_NS,
                                         .better = BETTER_LOWER,
                                         .median = ns,
                                         .ci95 = {ns, ns},
                                         .n = 100,
                                         .limit = NAN};
    result->metric_count = 1;
}

// A curve with steps: 16 ns up to 256 KiB, 142 ns up to 28 MiB, 265 ns up to 57 MiB, then 350 ns.
static void add_curve(struct run *run, enum verdict verdict)
{
    const double ends[] = {18, 24.8, 25.83, INFINITY}, ns[] = {16, 142, 265, 350};
    size_t level = 0;
    for (unsigned i = 0; i <= 8 * 22; i++) {
        double octave = 10 + i / 8.0;
        level += octave > ends[level];
        add_case(run, octave, ns[level], verdict);
    }
}

static void add_mapped_size(struct run *run, uint64_t level, double bytes)
{
    add_case(run, 0, bytes, VERDICT_OK);
    struct result *result = run->results[run->result_count - 1];
    result->key = arena_printf(run->arena, "map/level=%llu", (unsigned long long)level);
    result->benchmark = "map";
    result->bench_case.values[0] =
        (struct case_value){.key = "level", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = level};
    result->metrics[0].name = "size";
    result->metrics[0].unit = UNIT_BYTE;
}

static char *written(struct run *run)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    const struct run *runs[] = {run};
    picture_write(runs, 1, stream);
    fclose(stream);
    run_destroy(run);
    // A copy, because gcc 12 takes the stream's text for a local variable.
    char *copy = strdup(text);
    free(text);
    return copy;
}

static size_t place_of(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    assert_non_null(at);
    return (size_t)(at - text);
}

// Given a curve that ends within a cache, then the last level has no size, because the device's
// memory is another level.
static void a_cache_is_not_as_large_as_the_memory(void **state)
{
    (void)state;
    struct run *run = run_of("A chip");
    static struct named_number limits[] = {{.name = "memory_bytes", .value = 1 << 30}};
    run->devices[0].limits = limits;
    run->devices[0].limit_count = 1;
    for (unsigned i = 0; i <= 8 * 9; i++)
        add_case(run, 10 + i / 8.0, i <= 8 * 8 ? 16 : 142, VERDICT_OK);
    char *text = written(run);
    place_of(text, ">L1 to ");
    place_of(text, ">L2<");
    assert_null(strstr(text, "1.00 GiB"));
    assert_null(strstr(text, "core clock"));
    free(text);
}

static void the_halves_of_a_cache_are_near_and_far(void **state)
{
    (void)state;
    struct run *run = run_of("A chip");
    add_curve(run, VERDICT_OK);
    char *text = written(run);
    size_t near = place_of(text, ">near L2 to "), far = place_of(text, ">far L2 to ");
    assert_true(place_of(text, ">L1 to ") < near && near < far && far < place_of(text, ">DRAM<"));
    assert_non_null(strstr(text + near, "142 ns"));
    assert_null(strstr(text, "L3"));
    assert_non_null(strstr(text, ">L2 latency<"));
    free(text);
}

// Given sizes by `map`, then the levels have these, unless the map found another number of caches.
static void a_level_is_as_large_as_the_map_says(void **state)
{
    (void)state;
    for (unsigned caches = 2; caches <= 3; caches++) {
        struct run *run = run_of("A chip");
        run_add_benchmark(run, &map);
        add_curve(run, VERDICT_OK);
        for (unsigned k = 1; k <= caches; k++)
            add_mapped_size(run, k, k * 10.0 * (1 << 20));
        char *text = written(run);
        assert_int_equal(strstr(text, ">near L2 to 20.0 MiB<") != NULL, caches == 3);
        place_of(text, caches == 3 ? ">far L2 to 30.0 MiB<" : ">near L2 to 2");
        free(text);
    }
}

static void a_flagged_figure_is_grey_and_says_so(void **state)
{
    (void)state;
    static struct named_number core_clock = {.name = "core_clock", .value = 1.8e9};
    struct run *run = run_of("A chip");
    add_curve(run, VERDICT_SUSPECT);
    for (size_t i = 0; i < run->result_count; i++) {
        run->results[i]->sensors = &core_clock;
        run->results[i]->sensor_count = 1;
    }
    char *text = written(run);
    place_of(text, "y=\"30\">core clock 1.80 GHz</text>");
    assert_non_null(strstr(text, "<text class=\"r v g\""));
    assert_null(strstr(text, "<text class=\"r v\""));
    assert_non_null(strstr(text, ">flagged"));
    assert_non_null(strstr(text, ">(16.0 ns)</text>")); // grey is not the only sign
    free(text);
}

// Given figures that two reasons flag, then each reason is there once, with all of its figures.
static void each_doubt_is_explained(void **state)
{
    (void)state;
    static struct reason noisy = {.code = "imprecise", .text = "noisy: ±14 % (goal ±5 %)"};
    static struct reason slow = {.code = "low-clock", .text = "1.8 of 2.0 GHz"};
    struct run *run = run_of("A chip");
    add_curve(run, VERDICT_SUSPECT);
    for (size_t i = 0; i < run->result_count; i++) {
        run->results[i]->reasons = run->results[i]->metrics[0].median < 200 ? &noisy : &slow;
        run->results[i]->reason_count = 1;
    }
    char *text = written(run);
    assert_non_null(strstr(text, "<li>Not trusted: L1 latency, L2 latency, DRAM latency</li>\n"
                                 "<li>L1 latency, L2 latency: suspect: noisy: ±14 % (goal ±5 %)"
                                 "</li>\n<li>DRAM latency: suspect: 1.8 of 2.0 GHz</li>"));
    free(text);
}

static void a_device_that_gave_nothing_says_so(void **state)
{
    (void)state;
    char *text = written(run_of("A chip"));
    assert_non_null(strstr(text, "Nothing was measured on this device."));
    assert_null(strstr(text, "<svg"));
    free(text);
}

static char *drawn(struct run *run, double width, double *height)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    struct arena *arena = arena_create();
    *height = picture_put(arena, run, run->devices[0].id, 0, width, stream);
    arena_destroy(arena);
    fclose(stream);
    run_destroy(run);
    char *copy = strdup(text);
    free(text);
    return copy;
}

static void a_drawing_breaks_sentences_to_its_width(void **state)
{
    (void)state;
    double heights[2];
    for (size_t i = 0; i < 2; i++) {
        struct run *run = run_of("A chip");
        add_curve(run, VERDICT_SUSPECT); // a note says that the figures are not trusted
        char *text = drawn(run, i ? 200 : 2000, &heights[i]);
        assert_non_null(strstr(text, ">A chip<"));
        assert_non_null(strstr(text, ">near L2 to "));
        free(text);
    }
    assert_true(heights[1] > heights[0]);
}

static void a_device_without_figures_is_not_drawn(void **state)
{
    (void)state;
    double height;
    char *text = drawn(run_of("A chip"), 1200, &height);
    assert_true(height == 0);
    assert_string_equal(text, "");
    free(text);
}

static void foreign_text_becomes_no_markup(void **state)
{
    (void)state;
    struct run *run = run_of("<script>alert(1)</script> & \x07");
    run->started = "<b>";
    run->preset = "<img src=x>";
    add_curve(run, VERDICT_OK);
    char *text = written(run);
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; ?"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_is_not_as_large_as_the_memory),
        cmocka_unit_test(the_halves_of_a_cache_are_near_and_far),
        cmocka_unit_test(a_level_is_as_large_as_the_map_says),
        cmocka_unit_test(a_flagged_figure_is_grey_and_says_so),
        cmocka_unit_test(each_doubt_is_explained),
        cmocka_unit_test(a_device_that_gave_nothing_says_so),
        cmocka_unit_test(a_drawing_breaks_sentences_to_its_width),
        cmocka_unit_test(a_device_without_figures_is_not_drawn),
        cmocka_unit_test(foreign_text_becomes_no_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
