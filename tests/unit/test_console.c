// SPDX-License-Identifier: MIT
#include "golden/golden.h"
#include "golden/rich_run.h"
#include "report/console.h"
#include "report/screen.h"

#define DEMO TESTS_DIR "/golden/demo"

// Returns the console's text of a run; the caller frees it.
static char *shown(const struct run *run, struct console_desc desc)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    console_run(run, &desc, stream);
    fclose(stream);
    return text;
}

static void lines_fit(const char *text, size_t columns)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        char line[2048];
        assert_true(bytes < sizeof line);
        memcpy(line, text, bytes);
        line[bytes] = '\0';
        if (screen_width(line) > columns)
            fail_msg("%zu columns: %s", screen_width(line), line);
        if (bytes)
            assert_true(line[bytes - 1] != ' ');
        text += bytes + (text[bytes] == '\n');
    }
}

static void the_demo_looks_as_agreed(void **state)
{
    (void)state;
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    struct run *run = golden_run(DEMO ".json");
    char *text = shown(run, (struct console_desc){.elapsed_s = 41.3});
    golden_compare(DEMO ".txt", text);
    free(text);
    run_destroy(run);
}

static void no_line_is_wider_than_the_screen(void **state)
{
    (void)state;
    struct run *run = golden_run(DEMO ".json");
    for (unsigned columns = 60; columns <= 140; columns += 8) {
        char *text = shown(run, (struct console_desc){.columns = columns});
        lines_fit(text, columns);
        free(text);
    }
    run_destroy(run);
}

static void colour_is_given_only_when_asked_for(void **state)
{
    (void)state;
    struct run *run = golden_run(DEMO ".json");
    char *plain = shown(run, (struct console_desc){0});
    char *coloured = shown(run, (struct console_desc){.colour = true});
    assert_null(strchr(plain, '\x1b'));
    assert_non_null(strstr(coloured, "\x1b[33m3 suspect\x1b[0m"));
    free(plain);
    free(coloured);
    run_destroy(run);
}

// Adds a benchmark with one parameter, one metric and one view, and gives it `count` cases. Each
// holds the parameter's value 0, and 0 of the metric.
static struct result **simple_results_add(struct run *run, const struct benchmark_info *info,
                                          size_t count)
{
    run_add_benchmark(run, info);
    for (size_t i = 0; i < count; i++) {
        struct result *result = run_add_result(run);
        result->benchmark = info->name;
        result->version = info->version;
        result->device = run->devices[0].id;
        result->bench_case = (struct bench_case){ARENA_NEW(run->arena, struct case_value), 1};
        result->bench_case.values[0] = case_value_of(&info->params[0]);
        result->metrics = ARENA_NEW(run->arena, struct metric);
        result->metrics[0] = (struct metric){.name = info->metrics[0].name,
                                             .unit = info->metrics[0].unit,
                                             .better = info->metrics[0].better,
                                             .ci95 = {NAN, NAN},
                                             .limit = NAN};
        result->metric_count = 1;
    }
    return run->results + run->result_count - count;
}

// Rates of the operations fma (floating-point) and mad, as bars.
static void rates_add(struct run *run)
{
    static const struct param_info params[] = {
        {.key = "op", .type = PARAM_TEXT, .choices = "fma|mad"}};
    static const struct metric_info metrics[] = {
        {.name = "rate", .unit = UNIT_OP_PER_S, .better = BETTER_HIGHER, .floating = "op=fma"}};
    static const struct view_info views[] = {
        {.kind = VIEW_BARS, .title = "Rates", .x = "op", .metric = "rate", .scale = "linear"}};
    static const struct benchmark_info info = {.name = "rates",
                                               .version = 1,
                                               .title = "Rates",
                                               BENCHMARK_TABLE(param, params),
                                               BENCHMARK_TABLE(metric, metrics),
                                               BENCHMARK_TABLE(view, views)};
    struct result **results = simple_results_add(run, &info, 2);
    for (size_t i = 0; i < 2; i++) {
        results[i]->bench_case.values[0].text = i == 0 ? "fma" : "mad";
        results[i]->metrics[0].median = i == 0 ? 66e12 : 33e12;
        results[i]->key = case_key(run->arena, "rates", &results[i]->bench_case);
        result_mark_floating(&info, results[i]);
    }
}

static void floating_point_operations_are_shown_in_flop_per_s(void **state)
{
    (void)state;
    struct run *run = rich_run();
    rates_add(run);
    char *mixed = shown(run, (struct console_desc){0});
    assert_non_null(strstr(mixed, "\nRates\n"));
    assert_non_null(strstr(mixed, "fma  66.00 TFLOP/s  █"));
    assert_non_null(strstr(mixed, "mad  33.00 Top/s    █"));
    run->result_count--;
    char *alone = shown(run, (struct console_desc){0});
    assert_non_null(strstr(alone, "Rates · TFLOP/s"));
    assert_non_null(strstr(alone, "fma  66.00  █"));
    free(alone);
    free(mixed);
    run_destroy(run);
}

// Adds a curve over the strides 1 to `count`.
static void strides_add(struct run *run, unsigned count)
{
    static const struct param_info params[] = {{.key = "stride", .type = PARAM_UINT}};
    static const struct metric_info metrics[] = {{.name = "cycles", .unit = UNIT_CYCLE}};
    static const struct view_info views[] = {
        {.kind = VIEW_CURVE, .title = "Strides", .x = "stride", .metric = "cycles"}};
    static const struct benchmark_info info = {.name = "steps",
                                               .version = 1,
                                               .title = "Steps",
                                               BENCHMARK_TABLE(param, params),
                                               BENCHMARK_TABLE(metric, metrics),
                                               BENCHMARK_TABLE(view, views)};
    struct result **results = simple_results_add(run, &info, count);
    for (unsigned i = 0; i < count; i++) {
        results[i]->bench_case.values[0].uint = i + 1;
        results[i]->metrics[0].median = 201 + i;
        results[i]->key = case_key(run->arena, "steps", &results[i]->bench_case);
    }
}

static void a_long_table_of_one_benchmark_keeps_the_powers_of_two(void **state)
{
    (void)state;
    struct run *run = rich_run();
    strides_add(run, 128);
    const char *const name = "steps";
    char *text = shown(run, (struct console_desc){.benchmarks = &name, .benchmark_count = 1});
    for (unsigned stride = 1; stride <= 128; stride *= 2) {
        char row[32];
        snprintf(row, sizeof row, "\n  %6u   %u", stride, 200 + stride);
        if (!strstr(text, row))
            fail_msg("no row '%s' in:\n%s", row, text);
    }
    // Every seventh row is shown, too: 19 rows, of which 1, 8 and 64 are powers of two.
    assert_non_null(strstr(text, "\n      15   215"));
    assert_null(strstr(text, "\n      14   214"));
    assert_non_null(strstr(text, "(24 of 128 points; all of them are in the run file)"));
    // Shows nothing of other benchmarks, except what concerns the whole run.
    assert_null(strstr(text, "Latency by size"));
    assert_null(strstr(text, "L1 ends at 230 KiB"));
    assert_non_null(strstr(text, "one clock seen"));
    assert_non_null(strstr(text, "128 ok · 0 suspect · 0 skipped · 0 failed"));
    free(text);
    run_destroy(run);
}

static void a_table_of_counters_says_how_many_cases_it_leaves_out(void **state)
{
    (void)state;
    static struct counter counter = {.name = "dram_read", .counted = 1, .claimed = 2};
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    strides_add(run, 300);
    for (size_t i = 0; i < run->result_count; i++) {
        run->results[i]->counters = &counter;
        run->results[i]->counter_count = 1;
    }
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "hardware counters"));
    assert_non_null(strstr(text, "  (256 of 300 cases, 1 of 1 columns;"));
    free(text);
    run_destroy(run);
}

static void a_table_has_columns_for_the_sensors_of_its_view(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct benchmark_info info = *run->benchmarks[0];
    const struct view_info view = {.kind = VIEW_TABLE,
                                   .title = "Cases",
                                   .metric = "latency",
                                   .sensors = "power,fan,core_clock"}; // no case has a fan
    info.views = &view;
    info.view_count = 1;
    run->benchmarks[0] = &info;
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "  power  core_clock  latency_cycles\n"));
    assert_non_null(strstr(text, "      W         GHz          cycles\n"));
    assert_non_null(strstr(text, "  123.5       1.980   "));
    assert_null(strstr(text, "fan"));
    free(text);
    for (size_t i = 0; i < run->result_count; i++)
        run->results[i]->sensor_count = 0;
    text = shown(run, (struct console_desc){0});
    assert_null(strstr(text, "Cases"));
    free(text);
    run_destroy(run);
}

// Axes that the view does not name still separate series.
static void no_case_hides_another(void **state)
{
    (void)state;
    struct run *run = golden_run(DEMO ".json");
    struct benchmark_info info = *run->benchmarks[0];
    struct view_info view = info.views[0];
    view.group = NULL;
    info.views = &view;
    info.view_count = 1;
    run->benchmarks[0] = &info;
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "vector random"));
    assert_non_null(strstr(text, "vector plru"));
    free(text);
    run_destroy(run);
}

// One operation on one core, in ns and, on a device with a core clock, in cycles.
static struct run *arithmetic_run(const struct benchmark_info *info, bool clocked)
{
    struct run *run = run_create();
    run_add_device(run)->id = "opencl:0";
    run_add_benchmark(run, info);
    struct result *result = run_add_result(run);
    result->benchmark = info->name;
    result->device = "opencl:0";
    result->key = "incore/ilp=3";
    result->bench_case.values = ARENA_ARRAY(run->arena, 1, struct case_value);
    result->bench_case.value_count = 1;
    result->bench_case.values[0] =
        (struct case_value){.key = "ilp", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = 3};
    result->metrics = ARENA_ARRAY(run->arena, 2, struct metric);
    result->metric_count = clocked ? 2 : 1;
    result->metrics[0] = (struct metric){.name = "time", .unit = UNIT_NS, .median = 2.125};
    result->metrics[1] = (struct metric){.name = "cycles", .unit = UNIT_CYCLE, .median = 4.25};
    return run;
}

static void a_view_of_cycles_shows_time_where_there_are_none(void **state)
{
    (void)state;
    static const struct param_info ilp = {.key = "ilp", .type = PARAM_UINT};
    static const struct metric_info metrics[] = {
        {.name = "cycles", .unit = UNIT_CYCLE, .cycles_of = "time"},
        {.name = "time", .unit = UNIT_NS}};
    static const struct view_info views[] = {
        {.kind = VIEW_CURVE, .title = "Tableau", .x = "ilp", .metric = "cycles"},
        {.kind = VIEW_CURVE, .title = "In time", .x = "ilp", .metric = "time"}};
    // Given an operation with cycles and without, and a benchmark with one view or two
    for (int clocked = 0; clocked < 2; clocked++)
        for (size_t count = 1; count <= 2; count++) {
            const struct benchmark_info info = {.name = "incore",
                                                .params = &ilp,
                                                .param_count = 1,
                                                .metrics = metrics,
                                                .metric_count = 2,
                                                .views = views,
                                                .view_count = count};
            struct run *run = arithmetic_run(&info, clocked);
            // When the console shows it
            char *text = shown(run, (struct console_desc){0});
            // Then the table has cycles. It has the time if no other view of the cases has it.
            assert_true((strstr(text, "4.25") != NULL) == clocked);
            assert_true((strstr(text, "Tableau") != NULL) == (clocked || count == 1));
            assert_true((strstr(text, "2.125") != NULL) == (!clocked || count == 2));
            free(text);
            run_destroy(run);
        }
}

static void flags_and_failures_are_explained_below(void **state)
{
    (void)state;
    struct run *run = rich_run();
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "a: 1 suspect case (correlated): samples follow each other"));
    assert_non_null(strstr(text, "b: 1 skipped case (unsupported): no scalar loads here"));
    assert_non_null(strstr(text, "c: 1 failed case (mismatch): hop 12 is at 7, not at 9"));
    assert_non_null(strstr(text, "1 ok · 1 suspect · 1 skipped · 1 failed"));
    assert_non_null(strstr(text, "L1 ends at 230 KiB"));
    free(text);
    // A case with two reasons of one code counts once, and has one letter.
    result_flag(run->arena, run->results[1], VERDICT_SUSPECT, "correlated", "so do rounds");
    text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "a: 1 suspect case (correlated), for example: samples follow"));
    assert_null(strstr(text, " aa"));
    free(text);
    run_destroy(run);
}

static void a_lower_bound_is_shown_as_one(void **state)
{
    (void)state;
    struct run *run = rich_run();
    char *text = shown(run, (struct console_desc){0});
    assert_null(strstr(text, "≥"));
    free(text);
    run->results[0]->metrics[0].at_least = true;
    text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "≥16.30"));
    free(text);
    run_destroy(run);
}

static void a_run_with_only_failures_says_so(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->results += 3;
    run->result_count = 1;
    run->status = RUN_INTERRUPTED;
    char *text = shown(run, (struct console_desc){0});
    assert_null(strstr(text, "Latency by size")); // an empty table is not shown
    assert_non_null(strstr(text, "1 failed case"));
    assert_non_null(
        strstr(text, "0 ok · 0 suspect · 0 skipped · 1 failed · interrupted: some cases"));
    free(text);
    run_destroy(run);
}

static void an_empty_run_has_head_and_end(void **state)
{
    (void)state;
    struct run *run = run_create();
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "0 ok · 0 suspect · 0 skipped · 0 failed"));
    free(text);
    run_destroy(run);
}

static void hostile_strings_are_shown_harmless_and_short(void **state)
{
    (void)state;
    struct run *run = rich_run();
    size_t huge = 1u << 20;
    char *long_text = malloc(huge + 1);
    memset(long_text, 'x', huge);
    long_text[huge] = '\0';
    run->devices[0].name = "\x1b]0;owned\x07\r\nGPU \xc2\x9b";
    run->devices[0].driver = long_text;
    run->results[2]->reasons[0].text = long_text;
    run->findings[0].text = "\x1b[2Jgone";
    char *text = shown(run, (struct console_desc){0});
    assert_null(strpbrk(text, "\x1b\x07\r"));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "?]0;owned???GPU ?"));
    lines_fit(text, 100);
    free(text);
    free(long_text);
    run_destroy(run);
}

static void a_warning_and_names_of_parameters_are_harmless_too(void **state)
{
    (void)state;
    static const char owned[] = "\x1b]0;owned\x07";
    struct run *run = rich_run();
    struct param_info params[4];
    struct benchmark_info info = *run->benchmarks[0];
    assert_in_range(info.param_count, 1, COUNT(params));
    for (size_t i = 0; i < info.param_count; i++) {
        params[i] = info.params[i];
        params[i].key = owned;
    }
    info.params = params;
    info.views = &(const struct view_info){.kind = VIEW_TABLE}; // it has no title and no metric
    info.view_count = 1;
    run->benchmarks[0] = &info;
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t k = 0; k < run->results[i]->bench_case.value_count; k++)
            run->results[i]->bench_case.values[k].key = owned;
    run->findings[0].code = CARD_NO_GPU;
    run->findings[0].text = owned;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    console_head(run, &(struct console_desc){0}, stream);
    console_run(run, &(struct console_desc){0}, stream);
    fclose(stream);
    assert_non_null(strstr(text, "?]0;owned?"));
    assert_null(strpbrk(text, "\x1b\x07"));
    free(text);
    run_destroy(run);
}

// A span that is shorter than half a column is still drawn, and no line becomes too wide.
static void a_time_line_has_a_bar_a_lane(void **state)
{
    (void)state;
    static const struct param_info scenario = {.key = "scenario", .type = PARAM_TEXT};
    static const struct metric_info frame = {.name = "frame", .unit = UNIT_NS};
    static const struct view_info view = {
        .kind = VIEW_TIMELINE, .title = "A frame", .x = "scenario", .metric = "frame"};
    static const struct benchmark_info info = {.name = "overlap",
                                               .params = &scenario,
                                               .param_count = 1,
                                               .metrics = &frame,
                                               .metric_count = 1,
                                               .views = &view,
                                               .view_count = 1};
    static const char *columns[] = {"start", "end", "lane"};
    static double spans[] = {0, 5000, 0, 5000, 5001, 1, 5000, 10000, 2};
    static double crowd[] = {0, 5000, 0, 0, 10000, 1, 5000, 10000, 2};
    static const char *pair_columns[] = {"a", "b", "overlap"};
    static double pairs[] = {0, 1, 0.5, 0, 2, 0, 1, 2, 1, 1, 9, 1}; // there is no lane 9
    static struct series series[] = {{"timeline", columns, 3, spans, 3},
                                     {"workgroups", columns, 3, crowd, 3},
                                     {"matrix", pair_columns, 3, pairs, 4}};
    static struct case_value value = {.key = "scenario", .type = PARAM_TEXT, .text = "default"};
    static struct metric metric = {
        .name = "frame", .unit = UNIT_NS, .median = 1e4, .ci95 = {1e4, 1e4}};
    static struct named_text detail = {"lane 0", "compute A, on the direct queue"};
    struct run *run = run_create();
    run_add_benchmark(run, &info);
    run->status = RUN_COMPLETE;
    run_add_device(run)->id = "vulkan:0";
    *run_add_result(run) = (struct result){.key = "overlap/scenario=default",
                                           .benchmark = "overlap",
                                           .device = "vulkan:0",
                                           .bench_case = {&value, 1},
                                           .metrics = &metric,
                                           .metric_count = 1,
                                           .details = &detail,
                                           .detail_count = 1,
                                           .series = series,
                                           .series_count = 3};
    for (unsigned width = 60; width <= 120; width += 20) {
        char *text = shown(run, (struct console_desc){.columns = width});
        lines_fit(text, width);
        assert_non_null(strstr(text, "compute A   ██████████"));
        assert_non_null(strstr(text, "lane 1  "));
        assert_non_null(strstr(text, "1.000 ns"));
        assert_non_null(strstr(text, "up to 2"));
        assert_non_null(strstr(text, "µs  ·▅▁\n")); // lane 0 beside 1 and 2
        assert_non_null(strstr(text, "µs  ▁█·\n"));
        free(text);
    }
    // Eight cases are drawn, and the ninth is counted; the tenth has no time line.
    for (int i = 0; i < 9; i++)
        *run_add_result(run) = *run->results[0];
    run->results[9]->series_count = 0;
    char *text = shown(run, (struct console_desc){0});
    assert_non_null(strstr(text, "(time lines of 1 more case are in the run file)"));
    free(text);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_looks_as_agreed),
        cmocka_unit_test(no_line_is_wider_than_the_screen),
        cmocka_unit_test(colour_is_given_only_when_asked_for),
        cmocka_unit_test(no_case_hides_another),
        cmocka_unit_test(a_long_table_of_one_benchmark_keeps_the_powers_of_two),
        cmocka_unit_test(a_table_of_counters_says_how_many_cases_it_leaves_out),
        cmocka_unit_test(a_table_has_columns_for_the_sensors_of_its_view),
        cmocka_unit_test(floating_point_operations_are_shown_in_flop_per_s),
        cmocka_unit_test(a_time_line_has_a_bar_a_lane),
        cmocka_unit_test(a_view_of_cycles_shows_time_where_there_are_none),
        cmocka_unit_test(flags_and_failures_are_explained_below),
        cmocka_unit_test(a_lower_bound_is_shown_as_one),
        cmocka_unit_test(a_run_with_only_failures_says_so),
        cmocka_unit_test(an_empty_run_has_head_and_end),
        cmocka_unit_test(hostile_strings_are_shown_harmless_and_short),
        cmocka_unit_test(a_warning_and_names_of_parameters_are_harmless_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
