// SPDX-License-Identifier: MIT
// Prints the tables of a run on a terminal: each kind of view, the comparison of APIs, and the
// notes below the tables.
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/screen.h"
#include "results/results.h"

// ---------------------------------------------------------------- views as grids

// The data of one table. A grid has panels, a panel has series, and a series has one result per
// value of x. All parameters and metrics come from the run, so this code knows no particular
// benchmark.
struct view_series {
    // Name of the series, such as "vector random". "" if no parameter distinguishes the series.
    const char *label;
    // Result for each x of the grid; NULL if there is no such case.
    const struct result **results;
};

// A part of a grid. A heat map has one panel for each combination of the varying parameters (role
// AXIS, or named in the view's `group`) except x and y. Any other grid has a single panel.
struct view_panel {
    // Name of the panel, such as "vector random". "" if there is only one panel.
    const char *label;
    struct view_series *series;
    size_t series_count;
};

struct view_grid {
    const struct benchmark_info *info;
    const struct view_info *view;
    const struct metric_info *metric;
    // Unit in which the metric is shown (metric_unit_shown). If the results have several such
    // units, `mixed` is true and this is the unit of the run file.
    enum unit unit;
    bool mixed;
    // Parameters of the two axes. `y` is NULL unless the view is a heat map.
    const struct param_info *x, *y;
    // The different values of x. Numbers are ascending, and texts are in the order of the run.
    struct case_value *xs;
    size_t x_count;
    struct view_panel *panels;
    size_t panel_count;
    // Parameter values that all cases share, such as "path=vector, load=idle". "" if there are
    // none.
    const char *common;
};

// Returns the results that a view shows, of one benchmark on one device, in the order of the run.
// Sets *count to their number.
const struct result **view_select(struct arena *arena, const struct run *run, const char *device,
                                  const struct view_info *view, const struct benchmark_info *info,
                                  size_t *count);

// Sets *shown to the view that is drawn for this device, usually `declared`. If no result has the
// cycles that `declared` draws, *shown draws the time of the same work, unless another view already
// does. Returns false if no result has a number for the view.
bool view_shown(struct arena *arena, const struct run *run, const char *device,
                const struct benchmark_info *info, const struct view_info *declared,
                struct view_info *shown);

// Returns the axes (parameters of role AXIS) in which the results differ, in the order of the
// benchmark's parameters. Results also differ if only some of them have the parameter.
const struct param_info **view_varying(struct arena *arena, const struct benchmark_info *info,
                                       const struct result *const *results, size_t count,
                                       size_t *varying_count);

// Returns the values of the given parameters in the case: "vector random width=16". A parameter
// that the case does not have appears as `absent`, or not at all if that is "".
const char *view_words(struct arena *arena, const struct bench_case *c,
                       const struct param_info *const *keys, size_t count, const char *absent);

// Returns the case in words, with the name of the benchmark and the values of all parameters of
// role AXIS: "latency vector random 2.5 KiB".
const char *view_case(struct arena *arena, const struct benchmark_info *info,
                      const struct bench_case *c);

// Returns the parameters of role AXIS that have the same value in all results, with their values:
// "path=vector, load=idle". Leaves out the x and y of the view. `view` may be NULL.
const char *view_common(struct arena *arena, const struct benchmark_info *info,
                        const struct view_info *view, const struct result *const *results,
                        size_t count);

// Fills `grid` with the data of a view. Cases that differ in a parameter of role AXIS other than x
// and y are in different series (in a heat map: panels), so no case hides another. Returns false if
// the view shows no case of this device, has no x, or names an undeclared x or metric, or if the
// benchmark has no metric.
bool view_grid_build(struct arena *arena, const struct run *run, const char *device,
                     const struct benchmark_info *info, const struct view_info *view,
                     struct view_grid *grid);

// Returns the metric of this result that the grid draws. Returns NULL if `result` is NULL or has no
// finite median of this metric.
const struct metric *view_metric(const struct view_grid *grid, const struct result *result);

// Returns a value as text for people: "32 KiB", "64", "vector". A number that is not a size in
// bytes has the unit of `param`; it has none if `param` is NULL.
const char *view_value_text(struct arena *arena, const struct case_value *value,
                            const struct param_info *param);

// True if the y axis of the view is logarithmic. view->scale has one word for both axes ("log2"),
// or one word for each axis ("log2-linear"). If view->scale is NULL, both axes are linear.
bool view_log_y(const struct view_info *view);

// ---------------------------------------------------------------- notes below tables

enum screen_paint verdict_paint(enum verdict verdict);

// A note below a table: why results are suspect, skipped or failed, or a remark about results that
// are ok. There is one note for each verdict and reason of a benchmark. The tables print the note's
// letter beside the numbers of its results.
struct note {
    enum verdict verdict;
    const char *code, *text; // code of the reason; its text in the first result that has it
    size_t cases;            // number of results that have this verdict and reason
    bool one_text;           // true if all these results have the same text for the reason
};

struct notes {
    struct arena *arena;
    struct note *list;
    size_t count, capacity;
};

// Returns the notes about the results of a benchmark on a device, one for each pair of verdict and
// reason.
struct notes notes_of(struct arena *arena, const struct run *run, const char *device,
                      const char *benchmark);

// Prints one line per note: "a: 3 suspect cases (correlated), for example: the value drifted …".
void notes_print(const struct notes *notes, struct screen *screen);

// ---------------------------------------------------------------- cells of a table

// One cell of a table: a number as text, with its interval and the letters of its notes.
struct cell {
    // Number as text, such as "16.3". "–" if the case has no number, and "" if there is no such
    // case.
    const char *number;
    const char *margin; // half of the interval, such as "±0.4%"; "" if it is not known
    // Letters of the notes about the result, at most three, such as "ac". "" if it has no notes.
    const char *mark;
    enum screen_paint paint;
};

// Widths of the three parts of a column of cells: number, interval, letters of notes.
struct cell_widths {
    size_t number, margin, mark;
};

struct cell cell_of(const struct notes *notes, const struct result *result,
                    const struct metric *metric, const struct screen_scale *scale);

// Widens the three parts of a column (number, interval, letters) until the cell fits.
void cell_measure(struct cell_widths *widths, const struct cell *cell);

// Widens the part for numbers until the column is as wide as its head. Returns the column's width.
size_t cell_columns(struct cell_widths *widths, const char *head);
void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths);

struct column {
    const char *name, *unit; // the lines of the column's head; `unit` may be NULL
    struct cell *cells;      // one cell for each row of the table
    struct cell_widths widths;
    size_t columns; // width of the column, in columns of the screen
    size_t gap;     // number of blanks before the column
    bool words;     // true: the cells are words, which are aligned to the left
};

// These functions print the gap before a column, then a line of its head or the cell of a row.
void column_head_print(struct screen *screen, const struct column *column, const char *text);
void column_cell_print(struct screen *screen, const struct column *column, size_t row);

struct table {
    struct screen *screen;
    const struct notes *notes;
    const struct view_grid *grid;
    struct screen_scale scale; // unit and decimals of all numbers of the table
};

// Returns the medians of a series, one per x of the grid; NaN if there is no case or no median.
double *series_values(struct arena *arena, const struct view_grid *grid,
                      const struct view_series *series);

// Returns the scale (unit and decimals) that the numbers of all panels and series of a grid share.
struct screen_scale grid_scale(struct arena *arena, const struct view_grid *grid);

// ---------------------------------------------------------------- printing each kind of view

void curve_print(const struct table *table);
void bars_print(const struct table *table);
void heatmap_print(const struct table *table);

// Prints the benchmark's first view of kind VIEW_LINES that has results. Its lines, such as "Y X:
// 0.377ms 3.908x", have the form of a table that others published. Returns false if there is no
// such view. Otherwise the caller prints no other view.
bool lines_instead_print(struct screen *screen, const struct run *run, const char *device,
                         const struct benchmark_info *info);

// Prints a table with one row per case, and a column for each metric of the benchmark and each
// sensor of the view. It has at most 256 rows, and as many columns as fit. If not all columns fit
// with intervals, only the first one may have them. The view needs no x parameter.
void cases_print(struct screen *screen, const struct notes *notes,
                 const struct benchmark_info *info, const struct view_info *view,
                 const struct result *const *results, size_t count);

// Prints the cases that have hardware counters: the counted values in % of the benchmark's claims,
// and the hit rates of the caches. Prints nothing if no case has counters.
void counters_print(struct screen *screen, const struct benchmark_info *info,
                    const struct result *const *results, size_t count);

// Draws the time lines (report/spans.h) of the first 8 results that have a time line.
void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count);

// Compares cases that were measured on one chip through several APIs. Prints one row for each
// metric of a case, with the values and their ratios, and a summary. If a chip has more than 40
// rows, prints at most 40, only those in which the APIs differ (cross_row.apart). Prints nothing if
// there are no such cases.
void cross_print(struct screen *screen, const struct run *run);

#endif
