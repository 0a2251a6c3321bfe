// SPDX-License-Identifier: MIT
// Tests the charts that need no script: each benchmark with numbers has one, no text lies on
// another, and foreign texts or extreme numbers break nothing. tests/web/page.test.mjs tests them
// in a browser.
#include "golden/golden.h"
#include "report/chart.h"

#include <float.h>
#include <math.h>

enum {
    BOXES_MAX = 64
};

// The space that a text of a drawing takes at most.
struct box {
    double left, right, top, bottom;
    char text[256];
};

static double number_after(const char *element, const char *name)
{
    const char *at = strstr(element, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

static struct box box_of(const char *element)
{
    struct box box;
    const char *text = strchr(element, '>') + 1;
    size_t bytes = 0;
    for (; *text != '<'; text++) {
        assert_true(bytes + 1 < sizeof box.text);
        box.text[bytes++] = *text;
        if (*text == '&') // "&lt;" and others are one letter
            text = strchr(text, ';');
    }
    box.text[bytes] = '\0';
    bool title = strncmp(element, "<text class=\"t\"", 15) == 0;
    double x = number_after(element, " x=\""), y = number_after(element, " y=\"");
    double width = chart_text_width(box.text, title ? 12.5 : 10.5);
    char align = element[strlen("<text class=\"")]; // e: the text ends at x; m: its middle is at x
    box.left = align == 'e' ? x - width : align == 'm' ? x - width / 2 : x;
    box.right = box.left + width;
    box.top = y - 8;
    box.bottom = y + 2;
    return box;
}

static size_t boxes_of(const char *drawing, struct box *boxes)
{
    size_t count = 0;
    for (const char *at = drawing; (at = strstr(at, "<text ")) != NULL; at++) {
        assert_true(count < BOXES_MAX);
        boxes[count++] = box_of(at);
    }
    return count;
}

// Draws the chart; the caller frees the text. No text may leave the drawing or lie on another one,
// and no number may be missing.
static char *drawn(struct arena *arena, const struct chart *chart)
{
    char *text = NULL;
    size_t bytes;
    struct box boxes[BOXES_MAX];
    FILE *stream = open_memstream(&text, &bytes);
    double height = chart_put(arena, chart, 0, 0, stream);
    fclose(stream);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    size_t count = boxes_of(text, boxes);
    for (size_t i = 0; i < count; i++) {
        const struct box *one = &boxes[i];
        if (one->left < 0 || one->right > CHART_WIDTH || one->top < 0 || one->bottom > height)
            fail_msg("%s: \"%s\" leaves its drawing", chart->title, one->text);
        for (size_t k = 0; k < i; k++)
            if (fmin(one->right, boxes[k].right) > fmax(one->left, boxes[k].left) &&
                fmin(one->bottom, boxes[k].bottom) > fmax(one->top, boxes[k].top))
                fail_msg("%s: \"%s\" lies on \"%s\"", chart->title, one->text, boxes[k].text);
    }
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

// ---------------------------------------------------------------- of runs

static void each_benchmark_with_numbers_has_a_chart_that_stands_alone(void **state)
{
    (void)state;
    static const char *const runs[] = {"golden/demo.json", "../reference/h200-vulkan-all.json",
                                       "../reference/h200-cuda-map.json",
                                       "../reference/lavapipe-quick.json"};
    for (size_t r = 0; r < COUNT(runs); r++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", TESTS_DIR, runs[r]);
        struct run *run = golden_run(path);
        const struct run_device *device = &run->devices[0];
        size_t count, expected = 0;
        const struct chart *charts = charts_of(run->arena, run, device->id, NULL, &count);
        for (size_t b = 0; b < run->benchmark_count; b++)
            expected += run_count(run, device->id, run->benchmarks[b]->name).measured > 0;
        assert_int_equal(count, expected);
        for (size_t i = 0; i < count; i++) {
            char *text = drawn(run->arena, &charts[i]);
            assert_non_null(strstr(charts[i].origin, device->driver));
            assert_non_null(strstr(text, device->name));
            assert_non_null(strstr(text, run->tool_version));
            assert_null(strstr(text, "…")); // no text is cut
            assert_true(charts[i].line_count + charts[i].bar_count > 0);
            free(text);
        }
        run_destroy(run);
    }
}

static void the_chart_of_the_levels_says_them(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/../reference/h200-vulkan-all.json");
    const struct level_curve curve = levels_longest(run->arena, run, run->devices[0].id);
    size_t count;
    const struct chart *charts = charts_of(run->arena, run, run->devices[0].id, &curve, &count);
    assert_string_equal(charts[0].title,
                        "L1 16.2 ns · near L2 142 ns · far L2 270 ns · DRAM 350 ns");
    assert_int_equal(charts[0].line_count, CHART_LINES_MAX);
    assert_string_equal(charts[0].x_name, "bytes");
    run_destroy(run);
}

static void of_many_bars_the_best_that_are_trusted_and_the_worst_are_drawn(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    const char *device = run->devices[0].id;
    struct result **loads = NULL;
    size_t count, bars = 0;
    for (size_t i = 0; i < run->result_count; i++) // they are neighbours
        if (strcmp(run->results[i]->benchmark, "loads") == 0 && bars++ == 0)
            loads = &run->results[i];
    assert_int_equal(bars, 12);
    double best = loads[0]->metrics[0].median;
    loads[0]->verdict = loads[1]->verdict = VERDICT_SUSPECT;
    const struct chart *chart = &charts_of(run->arena, run, device, NULL, &count)[2];
    assert_int_equal(chart->bar_count, CHART_BARS_MAX);
    assert_non_null(strstr(chart->about, "the 7 best and the worst of 10"));
    assert_null(strstr(chart->title, "flagged"));
    for (size_t i = 0; i < CHART_BARS_MAX; i++) {
        assert_false(chart->bars[i].flagged);
        assert_true(chart->bars[i].value != best);
        assert_true(i == 0 || chart->bars[i].value <= chart->bars[i - 1].value);
    }
    for (size_t i = 0; i < 7; i++) // now too few are trusted, so all count
        loads[i]->verdict = VERDICT_SUSPECT;
    chart = &charts_of(run->arena, run, device, NULL, &count)[2];
    assert_non_null(strstr(chart->about, "the 7 best and the worst of 12"));
    assert_non_null(strstr(chart->title, "; flagged"));
    run_destroy(run);
}

// ---------------------------------------------------------------- made up

static struct chart chart_new(void)
{
    return (struct chart){.title = "From 1 to 2",
                          .about = "Values",
                          .origin = "A chip",
                          .metric = "latency",
                          .unit = UNIT_NS,
                          .x_name = "bytes",
                          .x_unit = UNIT_BYTE};
}

static void labels_of_lines_that_end_together_stand_apart(void **state)
{
    (void)state;
    static const bool trusted[2] = {false, false};
    const double xs[] = {1024, 1048576}, values[] = {10, 300}, low[] = {10, 0};
    struct arena *arena = arena_create();
    for (int end = 0; end < 2; end++) { // at the top of the plot, then at its foot
        struct chart_line lines[CHART_LINES_MAX];
        for (size_t i = 0; i < CHART_LINES_MAX; i++)
            lines[i] = (struct chart_line){arena_printf(arena, "a line of number %zu", i),
                                           end ? low : values, trusted};
        struct chart chart = chart_new();
        chart.log_x = true;
        chart.xs = xs;
        chart.x_count = 2;
        chart.lines = lines;
        chart.line_count = CHART_LINES_MAX;
        char *text = drawn(arena, &chart);
        for (size_t i = 0; i < CHART_LINES_MAX; i++)
            assert_non_null(strstr(text, lines[i].label));
        free(text);
    }
    arena_destroy(arena);
}

static void a_straight_line_of_many_points_takes_few_letters(void **state)
{
    (void)state;
    enum {
        POINTS = 2000
    };
    static double xs[POINTS], values[POINTS];
    static bool flagged[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        xs[i] = (double)i;
        size_t risen = i < POINTS / 2 ? 0 : i - POINTS / 2;
        values[i] = 5 + (double)risen;
    }
    flagged[7] = flagged[9] = true;
    struct chart_line line = {"", values, flagged};
    struct chart chart = chart_new();
    chart.xs = xs;
    chart.x_count = POINTS;
    chart.lines = &line;
    chart.line_count = 1;
    struct arena *arena = arena_create();
    char *text = drawn(arena, &chart), *path = strstr(text, "<path class=\"l0\"");
    assert_non_null(path);
    path = strstr(path, " d=\"");
    *strstr(path, "/>") = '\0';
    assert_in_range(count_of(path, "l"), 2, 10); // one flat segment, and a few that rise
    free(text);
    arena_destroy(arena);
}

static void extreme_numbers_are_drawn_as_well_as_can_be(void **state)
{
    (void)state;
    static const double sets[][3] = {
        {0, 0, 0}, {NAN, NAN, NAN},        {NAN, 7, NAN},      {-3, 0, 4},   {1e300, 1e-300, 1},
        {5, 5, 5}, {1e18, 1e18 + 1, 1e18}, {1e-9, 2e-9, 3e-9}, {-5, -5, -5}, {DBL_MAX, 0, -DBL_MAX},
    };
    static const double xs[][3] = {{1, 2, 3}, {0, 0, 0}, {1, 1e12, 1e15}, {5, 5, 5}};
    static const bool flagged[3] = {true, false, true};
    struct arena *arena = arena_create();
    for (size_t i = 0; i < COUNT(sets) * COUNT(xs) * 4; i++) {
        struct chart_line line = {"one", sets[i / 4 / COUNT(xs)], flagged};
        struct chart_line lines[] = {line, line};
        struct chart chart = chart_new();
        chart.log_x = i & 1;
        chart.log_y = i & 2;
        chart.xs = xs[i / 4 % COUNT(xs)];
        chart.x_count = 3;
        chart.lines = lines;
        chart.line_count = 2;
        free(drawn(arena, &chart));
        struct chart_bar bars[] = {{"a", "1", line.values[0], false},
                                   {"b", "2", line.values[1], true},
                                   {"c", "3", line.values[2], false}};
        chart.bars = bars;
        chart.bar_count = 3;
        free(drawn(arena, &chart));
    }
    arena_destroy(arena);
}

static void foreign_text_is_cut_and_becomes_no_markup(void **state)
{
    (void)state;
    static const char hostile[] = "\"><script>alert(1)</script> & a name that is longer than all "
                                  "drawings are wide, and then some more of it";
    struct chart_bar bar = {hostile, "<b>1</b>", 1, false};
    struct chart chart = chart_new();
    chart.title = chart.about = chart.origin = hostile;
    chart.metric = "<i>";
    chart.bars = &bar;
    chart.bar_count = 1;
    struct arena *arena = arena_create();
    char *text = drawn(arena, &chart);
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "<i>"));
    assert_non_null(strstr(text, "aria-label=\"&quot;&gt;&lt;script&gt;"));
    assert_non_null(strstr(text, "…</text>"));
    free(text);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_benchmark_with_numbers_has_a_chart_that_stands_alone),
        cmocka_unit_test(the_chart_of_the_levels_says_them),
        cmocka_unit_test(of_many_bars_the_best_that_are_trusted_and_the_worst_are_drawn),
        cmocka_unit_test(labels_of_lines_that_end_together_stand_apart),
        cmocka_unit_test(a_straight_line_of_many_points_takes_few_letters),
        cmocka_unit_test(extreme_numbers_are_drawn_as_well_as_can_be),
        cmocka_unit_test(foreign_text_is_cut_and_becomes_no_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
