// SPDX-License-Identifier: MIT
// The spans in time that results carry: series with the columns start, end (ns) and lane, perhaps
// queue, after (row of the span that this one waited for; −1: none) and core. A result's *line* is
// the first that has few rows; its *crowd* the first other one. What waited for more than one has
// all of them in the series "edges": from, to (rows of the line). Knows no benchmark.
#ifndef REPORT_SPANS_H
#define REPORT_SPANS_H

#include "results/results.h"

enum {
    SPANS_LINE_ROWS = 32
};

#define SPANS_NONE SIZE_MAX // a column that is not there

// The index of the column of that name; SPANS_NONE if there is none, or no series.
size_t series_column(const struct series *series, const char *name);

struct spans {
    const struct result *result;
    const struct series *series;
    size_t start, end, lane, queue, after, core; // columns
    double from_ns, to_ns;                       // of all its spans
};

// False where the result has no line that takes any time.
bool spans_line(const struct result *result, struct spans *spans);

struct spans_edge {
    size_t from, to; // rows of the line: the second waited for the first
};

// The result's edges, or what its line's column `after` says; *count of them.
struct spans_edge *spans_edges(struct arena *arena, const struct spans *line, size_t *count);

// False where there is none beside the line.
bool spans_crowd(const struct result *result, struct spans *spans);

// A column's value; `fallback` where the column is not there.
double spans_cell(const struct spans *spans, size_t row, size_t column, double fallback);

// Whether no earlier row is of the same lane.
bool spans_first_of_lane(const struct spans *spans, size_t row);

// "compute A": the detail "lane 0" of the result up to its first comma, else "lane 0".
const char *spans_label(struct arena *arena, const struct result *result, size_t lane);

// How many spans there are in the middle of each of `columns` equal parts from from_ns to to_ns.
double *spans_at_once(struct arena *arena, const struct spans *spans, double from_ns, double to_ns,
                      size_t columns);

#endif
