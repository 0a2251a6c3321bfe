// SPDX-License-Identifier: MIT
// Finds the spans (intervals of time) of a result. A series of spans has one row per span, with
// these columns:
// - start and end, in ns
// - lane: a number from 0 to UINT32_MAX; spans with the same lane are drawn in one row
// - queue and core, optional
// - after, optional: the row of a span for which this span waited; −1 if there is none
//
// The *time line* of a result is its first series of spans with at most SPANS_LINE_ROWS rows. The
// *crowd* of a result is its first other series of spans. If a span waited for several spans, the
// series "edges" lists all waits in its columns from and to (rows of the time line). This module
// knows no benchmark.
#ifndef REPORT_SPANS_H
#define REPORT_SPANS_H

#include "results/results.h"

enum {
    SPANS_LINE_ROWS = 32
};

// index of a column that the series does not have
#define SPANS_NONE SIZE_MAX

// Returns the index of the column with this name; SPANS_NONE if `series` is NULL or has no such
// column.
size_t series_column(const struct series *series, const char *name);

struct spans {
    const struct result *result;
    const struct series *series;
    // Index of each column of the series; SPANS_NONE if the series does not have the column.
    size_t start, end, lane, queue, after, core;
    double from_ns, to_ns; // earliest start and latest end of all spans, in ns
};

// Finds the time line of a result: the first series of spans that has at most SPANS_LINE_ROWS rows
// and whose latest end is after its earliest start. Returns false if there is no such series.
bool spans_line(const struct result *result, struct spans *spans);

struct spans_edge {
    // A wait: the span in row `to` of the time line waited for the span in row `from`.
    size_t from, to;
};

// Returns the waits of the time line: which span waited for which other span. Sets *count to their
// number. The waits come from the result's series "edges" or, if there is none, from the time
// line's column `after`.
struct spans_edge *spans_edges(struct arena *arena, const struct spans *line, size_t *count);

// Finds the crowd of a result: its first series of spans other than the time line. Returns false if
// the result has no time line, or no other series of spans.
bool spans_crowd(const struct result *result, struct spans *spans);

// Returns the number in this row and column of a series of spans. Returns `fallback` if `column` is
// SPANS_NONE.
double spans_cell(const struct spans *spans, size_t row, size_t column, double fallback);

// True if no earlier row of the series has the same lane as this row.
bool spans_first_of_lane(const struct spans *spans, size_t row);

// Returns the name of a lane, such as "compute A": the result's detail "lane N" up to the first
// comma. If there is no such detail, the name is "lane N" itself.
const char *spans_label(struct arena *arena, const struct result *result, size_t lane);

// Divides from_ns … to_ns into `columns` equal parts. Returns for each part the number of spans
// that run at its middle.
double *spans_at_once(struct arena *arena, const struct spans *spans, double from_ns, double to_ns,
                      size_t columns);

#endif
