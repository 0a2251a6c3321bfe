// SPDX-License-Identifier: MIT
// The spans in time that a result carries, as a series with one row per span. Such a series has the
// columns start, end (ns) and lane, and may have queue, after (row of the span that this one waited
// for; −1: none) and core. A result's *line* is its first such series with at most SPANS_LINE_ROWS
// rows; its *crowd* is the first other series of spans. If a span waited for several spans, the
// series "edges" lists all waits in its columns from and to (rows of the line). This module knows
// no benchmark.
#ifndef REPORT_SPANS_H
#define REPORT_SPANS_H

#include "results/results.h"

enum {
    SPANS_LINE_ROWS = 32
};

#define SPANS_NONE SIZE_MAX // stands for a column that the series lacks

// Returns the index of the column with this name; SPANS_NONE if there is none or `series` is NULL.
size_t series_column(const struct series *series, const char *name);

struct spans {
    const struct result *result;
    const struct series *series;
    size_t start, end, lane, queue, after, core; // indices of the columns, or SPANS_NONE
    double from_ns, to_ns;                       // earliest start and latest end of all spans
};

// Finds the result's line. Returns false if the result has no such series with to_ns > from_ns.
bool spans_line(const struct result *result, struct spans *spans);

struct spans_edge {
    size_t from, to; // rows of the line: span `to` waited for span `from`
};

// Returns the waits between the line's spans and sets *count. They come from the result's series
// "edges" or, if there is none, from the line's column `after`.
struct spans_edge *spans_edges(struct arena *arena, const struct spans *line, size_t *count);

// Finds the result's crowd. Returns false if the result has no line, or no other series of spans.
bool spans_crowd(const struct result *result, struct spans *spans);

// Returns the value in a row and column; `fallback` if `column` is SPANS_NONE.
double spans_cell(const struct spans *spans, size_t row, size_t column, double fallback);

// True if no earlier row has the same lane.
bool spans_first_of_lane(const struct spans *spans, size_t row);

// Returns the name of a lane, such as "compute A": the result's detail "lane N" up to its first
// comma, or "lane N" if there is no such detail.
const char *spans_label(struct arena *arena, const struct result *result, size_t lane);

// Divides from_ns … to_ns into `columns` equal parts and returns, for each part, the number of
// spans that run in its middle.
double *spans_at_once(struct arena *arena, const struct spans *spans, double from_ns, double to_ns,
                      size_t columns);

#endif
