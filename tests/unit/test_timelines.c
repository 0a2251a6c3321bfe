// SPDX-License-Identifier: MIT
// Tests time lines as files: what a trace viewer and a browser find in them.
#include "report/export.h"
#include "report/spans.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *line_columns[] = {"start", "end", "lane", "queue", "after"};
static double line_rows[] = {0, 4000, 0, 0, -1, 5000, 9000, 1, 0, 0, 500, 8000, 2, 1, -1};
static const char *crowd_columns[] = {"start", "end", "lane", "group", "core"};
// Forty workgroups on four cores, ten at a time.
enum {
    GROUPS = 40
};
static double crowd_rows[GROUPS * 5];
static struct series series[] = {
    {"timeline", line_columns, 5, line_rows, 3},
    {"workgroups", crowd_columns, 5, crowd_rows, GROUPS},
};
static struct named_text details[] = {{"lane 0", "A & <B>, on the direct queue"}};

static struct run *make_run(void)
{
    for (int g = 0; g < GROUPS; g++) {
        double *row = &crowd_rows[g * 5];
        int begun = g / 10 * 2000;
        row[0] = begun;
        row[1] = row[0] + 2000;
        row[2] = g % 3;
        row[3] = g;
        row[4] = g % 4;
    }
    struct run *run = run_create();
    *run_add_result(run) = (struct result){.key = "latency/bytes=1024", .device = "vulkan:0"};
    *run_add_result(run) = (struct result){.key = "overlap/scenario=default",
                                           .device = "vulkan:0",
                                           .details = details,
                                           .detail_count = 1,
                                           .series = series,
                                           .series_count = 2};
    return run;
}

static char *written(const struct run *run,
                     bool (*write)(const struct run *, FILE *, struct error *))
{
    char *text = NULL;
    size_t bytes;
    struct error err;
    FILE *stream = open_memstream(&text, &bytes);
    if (!write(run, stream, &err))
        fail_msg("%s", err.message);
    fclose(stream);
    return text;
}

// Returns the number of events with this phase; *sum: the sum of one of their members.
static size_t events_of(const json_t *root, const char *phase, const char *member, double *sum)
{
    size_t count = 0, i;
    json_t *event;
    *sum = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) != 0)
            continue;
        *sum += json_number_value(json_object_get(event, member));
        count++;
    }
    return count;
}

static void a_trace_has_every_span_and_arrow(void **state)
{
    (void)state;
    struct run *run = make_run();
    char *text = written(run, trace_write);
    json_t *root = json_loads(text, 0, NULL);
    double sum;
    assert_non_null(root);
    // Three spans, the workgroups, and the case itself.
    assert_int_equal(events_of(root, "X", "dur", &sum), 3 + GROUPS + 1);
    assert_true(sum == (4000 + 4000 + 7500 + GROUPS * 2000 + 9000) / 1e3); // µs
    assert_int_equal(events_of(root, "s", "ts", &sum), 1);
    assert_true(sum == 4.999); // inside the span from which it leaves
    assert_int_equal(events_of(root, "f", "ts", &sum), 1);
    assert_true(sum == 6);
    // Old viewers read this member as the unit of ts.
    assert_null(json_object_get(root, "displayTimeUnit"));
    assert_true(events_of(root, "C", "ts", &sum) >= 4);
    json_decref(root);
    free(text);
    run_destroy(run);
}

static void a_series_with_a_lane_that_is_no_number_from_0_on_is_no_time_line(void **state)
{
    (void)state;
    static const double wrong[] = {-1, 1e300, NAN};
    struct run *run = make_run();
    struct spans line;
    assert_true(spans_line(run->results[1], &line));
    const double right = line_rows[2];
    for (size_t i = 0; i < COUNT(wrong); i++) {
        line_rows[2] = wrong[i];
        assert_false(spans_line(run->results[1], &line));
    }
    line_rows[2] = right;
    run_destroy(run);
}

static double starts_of(const struct run *run)
{
    char *text = written(run, trace_write);
    json_t *root = json_loads(text, 0, NULL);
    double sum;
    assert_true(events_of(root, "X", "ts", &sum) > 0);
    json_decref(root);
    free(text);
    return sum;
}

static void workgroups_that_begin_late_begin_late_in_the_trace(void **state)
{
    (void)state;
    struct run *run = make_run();
    double before = starts_of(run);
    for (int g = 0; g < GROUPS; g++) {
        crowd_rows[g * 5] += 700;
        crowd_rows[g * 5 + 1] += 700;
    }
    assert_true(fabs(starts_of(run) - before - GROUPS * 0.7) < 1e-6); // µs
    // If the workgroups begin before the queues, all else begins that much later.
    for (int g = 0; g < GROUPS; g++)
        crowd_rows[g * 5] -= 1700;
    assert_true(fabs(starts_of(run) - before - 3 * 1) < 1e-6);
    run_destroy(run);
}

static const char *name_of(const json_t *event)
{
    return json_string_value(json_object_get(event, "name"));
}

static void results_follow_one_another_in_the_same_processes(void **state)
{
    (void)state;
    // Given the same case twice.
    struct run *run = make_run();
    struct result *again = run_add_result(run);
    *again = *run->results[1];
    again->key = "overlap/scenario=other";
    // When both are written …
    char *text = written(run, trace_write);
    json_t *root = json_loads(text, 0, NULL), *event;
    size_t i;
    double first_end = 0, other_start = 0, processes = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        double start = json_number_value(json_object_get(event, "ts"));
        if (strcmp(name_of(event), run->results[1]->key) == 0)
            first_end = start + json_number_value(json_object_get(event, "dur"));
        if (strcmp(name_of(event), again->key) == 0)
            other_start = start;
        processes += strcmp(name_of(event), "process_name") == 0;
    }
    // … then the second case begins after the first, and both have the same two queues, cores and
    // cases.
    assert_true(first_end > 0 && other_start > first_end);
    assert_true(processes == 4);
    json_decref(root);
    free(text);
    run_destroy(run);
}

static void all_that_was_waited_for_has_an_arrow(void **state)
{
    (void)state;
    static const char *columns[] = {"from", "to"};
    static double rows[] = {0, 1, 0, 2, 2, 1, 7, 1}; // row 7 does not exist
    struct series three[] = {series[0], series[1], {"edges", columns, 2, rows, 4}};
    struct run *run = make_run();
    run->results[1]->series = three;
    run->results[1]->series_count = 3;
    char *text = written(run, trace_write);
    json_t *root = json_loads(text, 0, NULL);
    double sum;
    assert_int_equal(events_of(root, "s", "ts", &sum), 3);
    assert_int_equal(events_of(root, "f", "id", &sum), 3);
    assert_true(sum == 0 + 1 + 2); // each event has its own id
    json_decref(root);
    free(text);
    run_destroy(run);
}

// A viewer nests events that overlap on one track.
static void spans_of_one_track_do_not_overlap(void **state)
{
    (void)state;
    struct run *run = make_run();
    char *text = written(run, trace_write);
    json_t *root = json_loads(text, 0, NULL), *a, *b;
    json_t *events = json_object_get(root, "traceEvents");
    size_t i, j;
    json_array_foreach(events, i, a)
    {
        json_array_foreach(events, j, b)
        {
            if (j >= i || strcmp(json_string_value(json_object_get(a, "ph")), "X") != 0 ||
                strcmp(json_string_value(json_object_get(b, "ph")), "X") != 0 ||
                !json_equal(json_object_get(a, "pid"), json_object_get(b, "pid")) ||
                !json_equal(json_object_get(a, "tid"), json_object_get(b, "tid")))
                continue;
            double a_start = json_number_value(json_object_get(a, "ts"));
            double b_start = json_number_value(json_object_get(b, "ts"));
            double a_end = a_start + json_number_value(json_object_get(a, "dur"));
            double b_end = b_start + json_number_value(json_object_get(b, "dur"));
            assert_true(a_end <= b_start || b_end <= a_start);
        }
    }
    json_decref(root);
    free(text);
    run_destroy(run);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void a_drawing_has_every_bar_with_its_tool_tip(void **state)
{
    (void)state;
    struct run *run = make_run();
    char *text = written(run, svg_write);
    assert_int_equal(count_of(text, "<rect"), 3 + GROUPS);
    assert_int_equal(count_of(text, "<title>"), 3 + GROUPS);
    assert_int_equal(count_of(text, "marker-end"), 1);
    assert_non_null(strstr(text, "A &amp; &lt;B&gt;: 4.000 µs from 0"));
    assert_non_null(strstr(text, "up to 10"));
    assert_non_null(strstr(text, "4 cores"));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "latency/"));
    free(text);
    for (int g = 0; g < GROUPS; g++)
        crowd_rows[g * 5 + 4] = 7;
    text = written(run, svg_write);
    assert_non_null(strstr(text, ">1 core</text>"));
    free(text);
    run_destroy(run);
}

static void a_run_without_time_lines_is_no_error(void **state)
{
    (void)state;
    struct run *run = run_create();
    char *trace = written(run, trace_write), *svg = written(run, svg_write);
    json_t *root = json_loads(trace, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(root, "traceEvents")), 0);
    assert_non_null(strstr(svg, "</svg>"));
    json_decref(root);
    free(trace);
    free(svg);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_has_every_span_and_arrow),
        cmocka_unit_test(a_series_with_a_lane_that_is_no_number_from_0_on_is_no_time_line),
        cmocka_unit_test(workgroups_that_begin_late_begin_late_in_the_trace),
        cmocka_unit_test(results_follow_one_another_in_the_same_processes),
        cmocka_unit_test(all_that_was_waited_for_has_an_arrow),
        cmocka_unit_test(spans_of_one_track_do_not_overlap),
        cmocka_unit_test(a_drawing_has_every_bar_with_its_tool_tip),
        cmocka_unit_test(a_run_without_time_lines_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
