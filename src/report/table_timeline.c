// SPDX-License-Identifier: MIT
// Time lines: a bar a lane, a column of the screen holding two points in time; and how many spans
// of a longer series there were at once.
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESULTS_MAX = 8,
    LANES_MAX = 32,
    LABEL_COLUMNS = 20,
    LENGTH_COLUMNS = 9,
    UNIT_TEXT = 32
};

struct timeline {
    struct screen *screen;
    const struct result *result;
    const struct series *spans;
    size_t start, end, lane, queue; // columns of the spans; queue: SIZE_MAX where there is none
    double from_ns, to_ns;
    size_t label, columns; // width of the labels and of the drawing
};

static size_t column_find(const struct series *series, const char *name)
{
    for (size_t i = 0; i < series->column_count; i++)
        if (strcmp(series->columns[i], name) == 0)
            return i;
    return SIZE_MAX;
}

static const double *row_of(const struct series *series, size_t row)
{
    return series->data + row * series->column_count;
}

static bool has_spans(const struct series *series)
{
    return column_find(series, "start") != SIZE_MAX && column_find(series, "end") != SIZE_MAX &&
           column_find(series, "lane") != SIZE_MAX && series->row_count > 0;
}

// The detail "lane 3" names a lane, up to its first comma.
static const char *lane_label(const struct timeline *timeline, size_t lane)
{
    struct arena *arena = timeline->screen->arena;
    const char *name = arena_printf(arena, "lane %zu", lane);
    for (size_t i = 0; i < timeline->result->detail_count; i++) {
        const struct named_text *detail = &timeline->result->details[i];
        if (strcmp(detail->name, name) == 0)
            name = arena_printf(arena, "%.*s", (int)strcspn(detail->text, ","), detail->text);
    }
    return screen_quote(arena, name, LABEL_COLUMNS);
}

static void label_fit(struct timeline *timeline, const char *label)
{
    size_t width = screen_width(label);
    width = width < LABEL_COLUMNS ? width : LABEL_COLUMNS;
    timeline->label = width > timeline->label ? width : timeline->label;
}

static void timeline_measure(struct timeline *timeline)
{
    const struct result *result = timeline->result;
    timeline->from_ns = INFINITY;
    timeline->to_ns = -INFINITY;
    for (size_t i = 0; i < timeline->spans->row_count; i++) {
        const double *row = row_of(timeline->spans, i);
        label_fit(timeline, lane_label(timeline, (size_t)row[timeline->lane]));
        timeline->from_ns = fmin(timeline->from_ns, row[timeline->start]);
        timeline->to_ns = fmax(timeline->to_ns, row[timeline->end]);
    }
    for (size_t s = 0; s < result->series_count; s++)
        if (has_spans(&result->series[s]))
            label_fit(timeline, result->series[s].name);
    timeline->columns = timeline->screen->columns - timeline->label - LENGTH_COLUMNS - 6;
}

// The series that is drawn: few lanes.
static bool timeline_open(struct screen *screen, const struct result *result,
                          struct timeline *timeline)
{
    *timeline = (struct timeline){.screen = screen, .result = result};
    for (size_t s = 0; s < result->series_count && !timeline->spans; s++)
        if (has_spans(&result->series[s]) && result->series[s].row_count <= LANES_MAX)
            timeline->spans = &result->series[s];
    if (!timeline->spans)
        return false;
    timeline->start = column_find(timeline->spans, "start");
    timeline->end = column_find(timeline->spans, "end");
    timeline->lane = column_find(timeline->spans, "lane");
    timeline->queue = column_find(timeline->spans, "queue");
    timeline_measure(timeline);
    return timeline->to_ns > timeline->from_ns;
}

static size_t half_of(const struct timeline *timeline, double ns)
{
    double share = (ns - timeline->from_ns) / (timeline->to_ns - timeline->from_ns);
    return (size_t)lround(fmax(0, fmin(share, 1)) * 2 * (double)timeline->columns);
}

// Which halves of columns the spans of a lane reach into; however short, a span is seen.
static bool *halves_of(const struct timeline *timeline, double lane)
{
    bool *halves = ARENA_ARRAY(timeline->screen->arena, 2 * timeline->columns, bool);
    for (size_t i = 0; i < timeline->spans->row_count; i++) {
        const double *row = row_of(timeline->spans, i);
        if (row[timeline->lane] != lane)
            continue;
        size_t first = half_of(timeline, row[timeline->start]);
        size_t last = half_of(timeline, row[timeline->end]);
        first = first == 2 * timeline->columns ? first - 1 : first;
        for (size_t half = first; half < last || half == first; half++)
            halves[half] = true;
    }
    return halves;
}

// Blank, left half, right half, whole.
static const char *bar_of(const struct timeline *timeline, double lane)
{
    static const char *const blocks[] = {" ", "▌", "▐", "█"};
    const bool *halves = halves_of(timeline, lane);
    char *bar = arena_alloc(timeline->screen->arena, 3 * timeline->columns + 1);
    size_t used = 0, end = 2 * timeline->columns;
    while (end > 0 && !halves[end - 1])
        end--;
    for (size_t half = 0; half < end; half += 2) {
        const char *block = blocks[halves[half] + 2 * halves[half + 1]];
        memcpy(bar + used, block, strlen(block));
        used += strlen(block);
    }
    return bar;
}

// "203.1 µs", of a lane's only span; how many there are, where there are several.
static const char *length_of(const struct timeline *timeline, double lane)
{
    struct arena *arena = timeline->screen->arena;
    double length_ns = 0;
    size_t count = 0;
    for (size_t i = 0; i < timeline->spans->row_count; i++) {
        const double *row = row_of(timeline->spans, i);
        if (row[timeline->lane] != lane)
            continue;
        length_ns = row[timeline->end] - row[timeline->start];
        count++;
    }
    char length[UNIT_TEXT];
    return count == 1 ? arena_strdup(arena, unit_format(length_ns, UNIT_NS, length, sizeof length))
                      : arena_printf(arena, "%zu spans", count);
}

static void lane_print(const struct timeline *timeline, const double *row)
{
    struct screen *screen = timeline->screen;
    double lane = row[timeline->lane];
    bool second = timeline->queue != SIZE_MAX && row[timeline->queue] != 0;
    fputs("  ", screen->stream);
    screen_left(screen, lane_label(timeline, (size_t)lane), timeline->label);
    fputs("  ", screen->stream);
    const char *bar = bar_of(timeline, lane);
    screen_paint(screen, second ? PAINT_YELLOW : PAINT_GREEN, bar);
    screen_left(screen, "", timeline->columns - screen_width(bar));
    fputs("  ", screen->stream);
    const char *length = length_of(timeline, lane);
    size_t width = screen_width(length);
    fprintf(screen->stream, "%*s", (int)(width < LENGTH_COLUMNS ? LENGTH_COLUMNS - width : 0), "");
    screen_paint(screen, PAINT_DIM, length);
    fputc('\n', screen->stream);
}

static bool is_first_of_lane(const struct timeline *timeline, size_t row)
{
    double lane = row_of(timeline->spans, row)[timeline->lane];
    for (size_t i = 0; i < row; i++)
        if (row_of(timeline->spans, i)[timeline->lane] == lane)
            return false;
    return true;
}

// How many spans of a series there were in the middle of each column.
static void count_print(const struct timeline *timeline, const struct series *series)
{
    struct screen *screen = timeline->screen;
    size_t start = column_find(series, "start"), end = column_find(series, "end");
    double *counts = ARENA_ARRAY(screen->arena, timeline->columns, double), most = 0;
    for (size_t c = 0; c < timeline->columns; c++) {
        double at = timeline->from_ns + (timeline->to_ns - timeline->from_ns) * ((double)c + 0.5) /
                                            (double)timeline->columns;
        for (size_t i = 0; i < series->row_count; i++)
            counts[c] += row_of(series, i)[start] <= at && at < row_of(series, i)[end];
        most = fmax(most, counts[c]);
    }
    fputs("  ", screen->stream);
    screen_left(screen, screen_quote(screen->arena, series->name, timeline->label),
                timeline->label);
    fputs("  ", screen->stream);
    screen_paint(screen, PAINT_DIM,
                 screen_spark(screen->arena, counts, timeline->columns, timeline->columns, false));
    fprintf(screen->stream, "  up to %.0f\n", most);
}

static void axis_print(const struct timeline *timeline)
{
    struct screen *screen = timeline->screen;
    char length[UNIT_TEXT];
    unit_format(timeline->to_ns - timeline->from_ns, UNIT_NS, length, sizeof length);
    size_t used = 2 + screen_width(length) + 1;
    fprintf(screen->stream, "  %*s  ", (int)timeline->label, "");
    screen_paint(
        screen, PAINT_DIM,
        arena_printf(screen->arena, "0 %s %s",
                     screen_repeat(screen->arena, "─",
                                   timeline->columns > used ? timeline->columns - used : 0),
                     length));
    fputc('\n', screen->stream);
}

static bool timeline_draw(struct screen *screen, const struct result *result, const char *label)
{
    struct timeline timeline;
    if (!timeline_open(screen, result, &timeline))
        return false;
    fputc('\n', screen->stream);
    if (*label) {
        fputs("  ", screen->stream);
        screen_paint(screen, PAINT_BOLD, screen_quote(screen->arena, label, screen->columns - 2));
        fputc('\n', screen->stream);
    }
    for (size_t i = 0; i < timeline.spans->row_count; i++)
        if (is_first_of_lane(&timeline, i))
            lane_print(&timeline, row_of(timeline.spans, i));
    axis_print(&timeline);
    for (size_t s = 0; s < result->series_count; s++)
        if (has_spans(&result->series[s]) && &result->series[s] != timeline.spans)
            count_print(&timeline, &result->series[s]);
    return true;
}

void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count)
{
    size_t axis_count, drawn = 0, left = 0;
    const struct param_info **axes = view_varying(screen->arena, info, results, count, &axis_count);
    for (size_t i = 0; i < count; i++) {
        const char *label = view_label(screen->arena, results[i], axes, axis_count);
        if (drawn == RESULTS_MAX)
            left++;
        else
            drawn += timeline_draw(screen, results[i], label);
    }
    if (left)
        fprintf(screen->stream, "  (time lines of %zu more cases are in the run file)\n", left);
}
