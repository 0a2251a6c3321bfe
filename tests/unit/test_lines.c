// SPDX-License-Identifier: MIT
// Tests a benchmark's view of lines: the two columns of a published table, only where a terminal
// shows them.
#include "report/console.h"
#include "results/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct param_info params[] = {
    {.key = "load", .type = PARAM_TEXT},
    {.key = "pattern", .type = PARAM_TEXT},
    {.key = "layout", .type = PARAM_TEXT, .role = PARAM_DISPLAY},
};
static const struct metric_info metrics[] = {
    {.name = "rate", .unit = UNIT_OP_PER_S, .better = BETTER_HIGHER},
    {.name = "time", .unit = UNIT_NS, .better = BETTER_LOWER},
    {.name = "ratio", .better = BETTER_HIGHER},
};
static const struct view_info views[] = {
    {.kind = VIEW_TABLE, .title = "All cases", .x = "pattern", .metric = "rate", .group = "load"},
    {.kind = VIEW_LINES,
     .title = "Compared to the published",
     .x = "pattern",
     .y = "load",
     .metric = "time,ratio",
     .scale = "30",
     .where = "layout=published"},
};
static const struct benchmark_info info = {
    .name = "loads",
    .version = 1,
    .params = params,
    .param_count = 3,
    .metrics = metrics,
    .metric_count = 3,
    .views = views,
    .view_count = 2,
};

static struct result *add(struct run *run, const char *load, const char *layout)
{
    struct result *result = run_add_result(run);
    struct case_value *values = ARENA_ARRAY(run->arena, 3, struct case_value);
    values[0] = (struct case_value){.key = "load", .type = PARAM_TEXT, .text = load};
    values[1] = (struct case_value){.key = "pattern", .type = PARAM_TEXT, .text = "linear"};
    values[2] = (struct case_value){
        .key = "layout", .type = PARAM_TEXT, .role = PARAM_DISPLAY, .text = layout};
    *result = (struct result){.key = arena_printf(run->arena, "loads/load=%s", load),
                              .benchmark = "loads",
                              .version = 1,
                              .device = "vulkan:0",
                              .bench_case = {.values = values, .value_count = 3}};
    return result;
}

static void add_measured(struct run *run, const char *load, const char *layout)
{
    struct result *result = add(run, load, layout);
    result->metrics = ARENA_ARRAY(run->arena, 3, struct metric);
    result->metric_count = 3;
    for (size_t i = 0; i < 3; i++) {
        const double medians[] = {5e12, 50000, 1.25}; // 30 × 0.05 ms
        result->metrics[i] = (struct metric){.name = metrics[i].name,
                                             .unit = metrics[i].unit,
                                             .median = medians[i],
                                             .n = 20,
                                             .limit = NAN,
                                             .ci95 = {0.99 * medians[i], 1.01 * medians[i]}};
    }
}

static struct run *run_of(const char *layout)
{
    struct run *run = run_create();
    *run_add_device(run) = (struct run_device){.id = "vulkan:0", .name = "Made-up GPU"};
    run_add_benchmark(run, &info);
    add_measured(run, "Buffer<R8>.Load", layout);
    struct result *skipped = add(run, "Buffer<RG8>.Load", layout);
    result_flag(run->arena, skipped, VERDICT_SKIPPED, "unsupported", "no such format here");
    return run;
}

static char *shown(const struct run *run)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    console_run(run, &(struct console_desc){0}, stream);
    fclose(stream);
    return text;
}

static void the_published_layout_is_two_columns_and_nothing_else(void **state)
{
    (void)state;
    struct run *run = run_of("published");
    char *text = shown(run);
    assert_non_null(strstr(text, "\nCompared to the published\n"
                                 "Buffer<R8>.Load linear: 1.500ms 1.250x\n"
                                 "Buffer<RG8>.Load linear: skipped\n"));
    assert_null(strstr(text, "All cases"));
    free(text);
    run_destroy(run);
}

static void a_table_has_names_above_units_and_intervals(void **state)
{
    (void)state;
    struct run *run = run_of("table");
    char *text = shown(run);
    assert_non_null(strstr(text, "All cases"));
    assert_null(strstr(text, "Compared to the published"));
    assert_non_null(strstr(text, "  rate"));
    assert_non_null(strstr(text, "  Top/s"));
    assert_null(strstr(text, "rate, Top/s"));
    assert_non_null(strstr(text, "5.000 ±1.0%"));
    free(text);
    run_destroy(run);
}

static void files_hold_neither_the_layout_nor_its_view(void **state)
{
    (void)state;
    struct run *run = run_of("published");
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    struct error err;
    assert_true(run_write(run, stream, &err));
    fclose(stream);
    assert_null(strstr(text, "\"lines\""));
    assert_null(strstr(text, "layout"));
    free(text);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_layout_is_two_columns_and_nothing_else),
        cmocka_unit_test(a_table_has_names_above_units_and_intervals),
        cmocka_unit_test(files_hold_neither_the_layout_nor_its_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
