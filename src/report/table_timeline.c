// SPDX-License-Identifier: MIT
// Prints time lines. Each lane is one row: its label, a bar that shows when its spans ran, and how
// long they took. The smallest piece of a bar is half a column of the screen. At the right, blocks
// show how much the lane overlaps with each other lane. Below all lanes, one row of blocks shows
// how many spans of the crowd (report/spans.h) ran at the same time.
#include "base/text.h"
#include "report/spans.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

enum {
    RESULTS_MAX = 8,
    LABEL_COLUMNS = 20,
    LENGTH_COLUMNS = 9,
    DRAWING_LEAST = 16 // minimum width of the drawing, in columns of the screen
};

struct timeline {
    struct screen *screen;
    struct spans spans;
    // label: width of the lanes' labels; columns: width of the drawing; both in screen columns
    size_t label, columns;
    // Matrix of the overlaps of lanes with each other, 0 to 1 or NaN; NULL if they are not printed.
    double *overlaps;
    size_t lanes; // number of rows, and of columns, of the matrix `overlaps`
};

static const char *lane_label(const struct timeline *timeline, size_t lane)
{
    struct arena *arena = timeline->screen->arena;
    return screen_quote(arena, spans_label(arena, timeline->spans.result, lane),
                        screen_part(timeline->screen, LABEL_COLUMNS, 4));
}

static double cell_at(const struct timeline *timeline, size_t row, size_t column)
{
    return spans_cell(&timeline->spans, row, column, 0);
}

// Fills the matrix of overlaps from the series "matrix" (columns a, b, overlap), if there is one.
static void overlaps_open(struct timeline *timeline, const struct result *result)
{
    const struct series *matrix = result_series(result, "matrix");
    size_t a = series_column(matrix, "a"), b = series_column(matrix, "b");
    size_t overlap = series_column(matrix, "overlap"), lanes = timeline->spans.series->row_count;
    if (a == SPANS_NONE || b == SPANS_NONE || overlap == SPANS_NONE)
        return;
    timeline->lanes = lanes;
    timeline->overlaps = ARENA_ARRAY(timeline->screen->arena, lanes * lanes, double);
    for (size_t i = 0; i < lanes * lanes; i++)
        timeline->overlaps[i] = NAN;
    for (size_t row = 0; row < matrix->row_count; row++) {
        const double *cells = matrix->data + row * matrix->column_count;
        if (!(cells[a] >= 0 && cells[a] < (double)lanes && cells[b] >= 0 &&
              cells[b] < (double)lanes))
            continue;
        size_t first = (size_t)cells[a], second = (size_t)cells[b];
        timeline->overlaps[first * lanes + second] = cells[overlap];
        timeline->overlaps[second * lanes + first] = cells[overlap];
    }
}

static bool timeline_open(struct screen *screen, const struct result *result,
                          struct timeline *timeline)
{
    *timeline = (struct timeline){.screen = screen};
    if (!spans_line(result, &timeline->spans))
        return false;
    struct spans crowd;
    for (size_t i = 0; i < timeline->spans.series->row_count; i++)
        screen_widen(&timeline->label,
                     lane_label(timeline, (size_t)cell_at(timeline, i, timeline->spans.lane)));
    if (spans_crowd(result, &crowd))
        screen_widen(&timeline->label, screen_quote(screen->arena, crowd.series->name,
                                                    screen_part(screen, LABEL_COLUMNS, 4)));
    overlaps_open(timeline, result);
    timeline->columns = screen->columns - timeline->label - LENGTH_COLUMNS - 6;
    if (timeline->columns < DRAWING_LEAST + timeline->lanes + 2)
        // The screen has no room for bars and overlaps. The bars are more important.
        timeline->overlaps = NULL;
    if (timeline->overlaps)
        timeline->columns -= timeline->lanes + 2;
    return true;
}

static size_t half_of(const struct timeline *timeline, double ns)
{
    const struct spans *spans = &timeline->spans;
    double share = (ns - spans->from_ns) / (spans->to_ns - spans->from_ns);
    return (size_t)lround(fmax(0, fmin(share, 1)) * 2 * (double)timeline->columns);
}

// Returns which half columns of the drawing the lane's spans cover, each span at least one.
static bool *halves_of(const struct timeline *timeline, double lane)
{
    bool *halves = ARENA_ARRAY(timeline->screen->arena, 2 * timeline->columns, bool);
    for (size_t i = 0; i < timeline->spans.series->row_count; i++) {
        if (cell_at(timeline, i, timeline->spans.lane) != lane)
            continue;
        size_t first = half_of(timeline, cell_at(timeline, i, timeline->spans.start));
        size_t last = half_of(timeline, cell_at(timeline, i, timeline->spans.end));
        first = first == 2 * timeline->columns ? first - 1 : first;
        for (size_t half = first; half < last || half == first; half++)
            halves[half] = true;
    }
    return halves;
}

// Returns the bar of a lane: each column is empty, full, or filled in its left or right half.
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

// Returns the length of the lane's span, such as "203.1 µs", or the number of its spans.
static const char *length_of(const struct timeline *timeline, double lane)
{
    struct arena *arena = timeline->screen->arena;
    double length_ns = 0;
    size_t count = 0;
    for (size_t i = 0; i < timeline->spans.series->row_count; i++) {
        if (cell_at(timeline, i, timeline->spans.lane) != lane)
            continue;
        length_ns =
            cell_at(timeline, i, timeline->spans.end) - cell_at(timeline, i, timeline->spans.start);
        count++;
    }
    return count == 1 ? unit_text(arena, length_ns, UNIT_NS)
                      : arena_printf(arena, "%zu spans", count);
}

// Prints how much `lane` overlaps with each other lane, as a block; "·" for `lane` itself.
static void overlaps_print(const struct timeline *timeline, double lane)
{
    if (!timeline->overlaps || !(lane >= 0 && lane < (double)timeline->lanes))
        return;
    char text[3 * SPANS_LINE_ROWS + 1] = "";
    for (size_t other = 0; other < timeline->lanes; other++) {
        double overlap = timeline->overlaps[(size_t)lane * timeline->lanes + other];
        const char *block = other == (size_t)lane ? "·"
                            : isnan(overlap)      ? " "
                                                  : screen_block(overlap);
        memcpy(text + strlen(text), block, strlen(block) + 1);
    }
    fputs("  ", timeline->screen->stream);
    screen_paint(timeline->screen, PAINT_DIM, text);
}

static void lane_print(const struct timeline *timeline, size_t row)
{
    struct screen *screen = timeline->screen;
    double lane = cell_at(timeline, row, timeline->spans.lane);
    bool second = cell_at(timeline, row, timeline->spans.queue) != 0;
    fputs("  ", screen->stream);
    screen_left(screen, lane_label(timeline, (size_t)lane), timeline->label);
    fputs("  ", screen->stream);
    screen_paint_left(screen, second ? PAINT_YELLOW : PAINT_GREEN, bar_of(timeline, lane),
                      timeline->columns);
    fputs("  ", screen->stream);
    screen_paint_right(screen, PAINT_DIM, length_of(timeline, lane), LENGTH_COLUMNS);
    overlaps_print(timeline, lane);
    fputc('\n', screen->stream);
}

static void crowd_print(const struct timeline *timeline, const struct spans *crowd)
{
    struct screen *screen = timeline->screen;
    double most = 0;
    const double *counts = spans_at_once(screen->arena, crowd, timeline->spans.from_ns,
                                         timeline->spans.to_ns, timeline->columns);
    for (size_t c = 0; c < timeline->columns; c++)
        most = fmax(most, counts[c]);
    fputs("  ", screen->stream);
    screen_left(screen, screen_quote(screen->arena, crowd->series->name, timeline->label),
                timeline->label);
    fputs("  ", screen->stream);
    screen_paint(screen, PAINT_DIM,
                 screen_spark(screen->arena, counts, timeline->columns, timeline->columns, false));
    fprintf(screen->stream, "  up to %.0f\n", most);
}

// Prints the series "histogram" (low, high in ns, count), if there is one: "100 answers from 1.910
// ms ▁▁█▂▁ to 5.310 ms".
static void histogram_print(const struct timeline *timeline)
{
    enum {
        COLUMNS = 3
    };
    struct screen *screen = timeline->screen;
    const struct series *bins = result_series(timeline->spans.result, "histogram");
    if (!bins || bins->column_count != COLUMNS || bins->row_count == 0)
        return;
    double *counts = ARENA_ARRAY(screen->arena, bins->row_count, double), all = 0;
    for (size_t row = 0; row < bins->row_count; row++)
        all += counts[row] = bins->data[row * COLUMNS + 2];
    const char *low = unit_text(screen->arena, bins->data[0], UNIT_NS);
    const char *high = unit_text(screen->arena, bins->data[bins->row_count * COLUMNS - 2], UNIT_NS);
    size_t columns =
        bins->row_count < timeline->columns / 2 ? bins->row_count : timeline->columns / 2;
    const char *spark = screen_spark(screen->arena, counts, bins->row_count, columns, false);
    fprintf(screen->stream, "  %*s  ", (int)timeline->label, "");
    screen_paint(screen, PAINT_DIM,
                 arena_printf(screen->arena, "%.0f answer%s from %s %s to %s", all,
                              all == 1 ? "" : "s", low, spark, high));
    fputc('\n', screen->stream);
}

static void axis_print(const struct timeline *timeline)
{
    struct screen *screen = timeline->screen;
    const char *length =
        unit_text(screen->arena, timeline->spans.to_ns - timeline->spans.from_ns, UNIT_NS);
    size_t used = 2 + screen_width(length) + 1;
    fprintf(screen->stream, "  %*s  ", (int)timeline->label, "");
    screen_paint(
        screen, PAINT_DIM,
        arena_printf(screen->arena, "0 %s %s",
                     screen_repeat(screen->arena, "─",
                                   timeline->columns > used ? timeline->columns - used : 0),
                     length));
    if (timeline->overlaps)
        fprintf(screen->stream, "%*s", (int)(2 + LENGTH_COLUMNS + 2 + timeline->lanes), "overlap");
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
    for (size_t i = 0; i < timeline.spans.series->row_count; i++)
        if (spans_first_of_lane(&timeline.spans, i))
            lane_print(&timeline, i);
    axis_print(&timeline);
    struct spans crowd;
    if (spans_crowd(result, &crowd))
        crowd_print(&timeline, &crowd);
    histogram_print(&timeline);
    return true;
}

void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count)
{
    size_t axis_count, drawn = 0, left = 0;
    const struct param_info **axes = view_varying(screen->arena, info, results, count, &axis_count);
    for (size_t i = 0; i < count; i++) {
        const char *label =
            view_words(screen->arena, &results[i]->bench_case, axes, axis_count, "–");
        struct spans spans;
        if (drawn == RESULTS_MAX)
            left += spans_line(results[i], &spans);
        else
            drawn += timeline_draw(screen, results[i], label);
    }
    if (left)
        fprintf(screen->stream, "  (time lines of %s are in the run file)\n",
                text_count(screen->arena, left, "more case"));
}
