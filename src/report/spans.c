// SPDX-License-Identifier: MIT
#include "report/spans.h"

#include <math.h>
#include <string.h>

size_t series_column(const struct series *series, const char *name)
{
    for (size_t i = 0; series && i < series->column_count; i++)
        if (strcmp(series->columns[i], name) == 0)
            return i;
    return SPANS_NONE;
}

double spans_cell(const struct spans *spans, size_t row, size_t column, double fallback)
{
    return column == SPANS_NONE ? fallback
                                : spans->series->data[row * spans->series->column_count + column];
}

static bool spans_open(const struct result *result, const struct series *series,
                       struct spans *spans)
{
    *spans = (struct spans){.result = result,
                            .series = series,
                            .start = series_column(series, "start"),
                            .end = series_column(series, "end"),
                            .lane = series_column(series, "lane"),
                            .queue = series_column(series, "queue"),
                            .after = series_column(series, "after"),
                            .core = series_column(series, "core"),
                            .from_ns = INFINITY,
                            .to_ns = -INFINITY};
    if (spans->start == SPANS_NONE || spans->end == SPANS_NONE || spans->lane == SPANS_NONE)
        return false;
    for (size_t i = 0; i < series->row_count; i++) {
        double lane = spans_cell(spans, i, spans->lane, 0);
        if (!(lane >= 0 && lane <= UINT32_MAX))
            return false;
        spans->from_ns = fmin(spans->from_ns, spans_cell(spans, i, spans->start, 0));
        spans->to_ns = fmax(spans->to_ns, spans_cell(spans, i, spans->end, 0));
    }
    return spans->to_ns > spans->from_ns;
}

bool spans_line(const struct result *result, struct spans *spans)
{
    for (size_t s = 0; s < result->series_count; s++)
        if (result->series[s].row_count <= SPANS_LINE_ROWS &&
            spans_open(result, &result->series[s], spans))
            return true;
    return false;
}

static bool is_row(const struct spans *line, double row)
{
    return row >= 0 && row < (double)line->series->row_count;
}

struct spans_edge *spans_edges(struct arena *arena, const struct spans *line, size_t *count)
{
    const struct series *series = result_series(line->result, "edges");
    size_t from = series_column(series, "from"), to = series_column(series, "to");
    bool listed = from != SPANS_NONE && to != SPANS_NONE;
    size_t rows = listed ? series->row_count : line->series->row_count;
    struct spans_edge *edges = ARENA_ARRAY(arena, rows, struct spans_edge);
    *count = 0;
    for (size_t i = 0; i < rows; i++) {
        const double *cells = listed ? series->data + i * series->column_count : NULL;
        double begin = listed ? cells[from] : spans_cell(line, i, line->after, -1);
        double end = listed ? cells[to] : (double)i;
        if (is_row(line, begin) && is_row(line, end))
            edges[(*count)++] = (struct spans_edge){(size_t)begin, (size_t)end};
    }
    return edges;
}

bool spans_crowd(const struct result *result, struct spans *spans)
{
    struct spans line;
    if (!spans_line(result, &line))
        return false;
    for (size_t s = 0; s < result->series_count; s++)
        if (&result->series[s] != line.series && spans_open(result, &result->series[s], spans))
            return true;
    return false;
}

bool spans_first_of_lane(const struct spans *spans, size_t row)
{
    double lane = spans_cell(spans, row, spans->lane, 0);
    for (size_t i = 0; i < row; i++)
        if (spans_cell(spans, i, spans->lane, 0) == lane)
            return false;
    return true;
}

const char *spans_label(struct arena *arena, const struct result *result, size_t lane)
{
    const char *name = arena_printf(arena, "lane %zu", lane);
    const char *text = result_detail(result, name);
    return text ? arena_printf(arena, "%.*s", (int)strcspn(text, ","), text) : name;
}

double *spans_at_once(struct arena *arena, const struct spans *spans, double from_ns, double to_ns,
                      size_t columns)
{
    double *counts = ARENA_ARRAY(arena, columns, double);
    for (size_t c = 0; c < columns; c++) {
        double at = from_ns + (to_ns - from_ns) * ((double)c + 0.5) / (double)columns;
        for (size_t i = 0; i < spans->series->row_count; i++)
            counts[c] += spans_cell(spans, i, spans->start, 0) <= at &&
                         at < spans_cell(spans, i, spans->end, 0);
    }
    return counts;
}
