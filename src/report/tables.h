// SPDX-License-Identifier: MIT
// Prints the tables of a run on a terminal, for report/console.c: each kind of view, the comparison
// of APIs, and the notes below the tables.
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/screen.h"
#include "results/results.h"

// ---------------------------------------------------------------- views as grids

// A view_grid has the data of one table or chart: panels of series, a series with one result per x.
// This code knows no benchmark, only the parameters and metrics that the run file declares.
struct view_series {
    const char *label;             // such as "vector random"; "" if there is only one series
    const struct result **results; // one per x of the grid; NULL: no such case
};

// A heat map has one panel per combination of the axes that vary beside x and y. All other views
// have one panel.
struct view_panel {
    const char *label; // as in view_series; "" if there is only one panel
    struct view_series *series;
    size_t series_count;
};

struct view_grid {
    const struct benchmark_info *info;
    const struct view_info *view;
    const struct metric_info *metric;
    const struct param_info *x, *y; // y: NULL except in heat maps
    struct case_value *xs;          // values of x: numbers ascending, texts in order of appearance
    size_t x_count;
    struct view_panel *panels;
    size_t panel_count;
    const char *common; // values that all cases share, "path=vector, load=idle"; "": none
};

// Returns the results of one device that a view shows, in the order of the run. Sets *count.
const struct result **view_select(struct arena *arena, const struct run *run, const char *device,
                                  const struct view_info *view, const struct benchmark_info *info,
                                  size_t *count);

// Sets *shown to the view as it is shown of this device: one of cycles shows the time that they
// count if no core clock is known, unless another view does. False if no result has a number for
// it.
bool view_shown(struct arena *arena, const struct run *run, const char *device,
                const struct benchmark_info *info, const struct view_info *declared,
                struct view_info *shown);

// The axes that have more than one value among the results, in the order of the benchmark.
const struct param_info **view_varying(struct arena *arena, const struct benchmark_info *info,
                                       const struct result *const *results, size_t count,
                                       size_t *varying_count);

// The result's values of the given parameters, such as "vector random width=16"; "–" for a
// parameter that its case does not have.
const char *view_label(struct arena *arena, const struct result *result,
                       const struct param_info *const *keys, size_t count);

// As view_label, but a parameter that the case does not have is left out.
const char *view_words(struct arena *arena, const struct bench_case *c,
                       const struct param_info *const *keys, size_t count);

// The case in words: "latency vector random 2.5 KiB", the benchmark and the values of all axes.
const char *view_case(struct arena *arena, const struct benchmark_info *info,
                      const struct bench_case *c);

// The axes that have the same value in all results, such as "path=vector, load=idle". x and y of
// the view are left out; `view` may be NULL.
const char *view_common(struct arena *arena, const struct benchmark_info *info,
                        const struct view_info *view, const struct result *const *results,
                        size_t count);

// Fills `grid`. False if the view shows no case of this device, has no x, or names an x or metric
// that is not declared. Axes that vary but that the view does not name become groups too, so that
// no case hides another.
bool view_grid_build(struct arena *arena, const struct run *run, const char *device,
                     const struct benchmark_info *info, const struct view_info *view,
                     struct view_grid *grid);

// The metric of a result that the grid draws. NULL if `result` is NULL, has no such metric, or its
// median is not finite.
const struct metric *view_metric(const struct view_grid *grid, const struct result *result);

// A value as text for people: "32 KiB", "64", "vector". `param` gives the unit; NULL: none.
const char *view_value_text(struct arena *arena, const struct case_value *value,
                            const struct param_info *param);

// True if view->scale ("log2-linear", or one word for both axes) is logarithmic in y. NULL: linear.
bool view_log_y(const struct view_info *view);

// ---------------------------------------------------------------- notes

enum screen_paint verdict_paint(enum verdict verdict);

// A reason that results of a benchmark have, such as why they are suspect, skipped or failed. Each
// note has a letter, which the tables print beside the numbers of these results.
struct note {
    enum verdict verdict;
    const char *code, *text; // code of the reason; its text in the first result that has it
    size_t cases;            // number of results with this verdict and code
    bool one_text;           // all of these results have the same text
};

struct notes {
    struct arena *arena;
    struct note *list;
    size_t count, capacity;
};

// The notes for all results of a benchmark on a device, one per verdict and reason code.
struct notes notes_of(struct arena *arena, const struct run *run, const char *device,
                      const char *benchmark);

// Prints one line per note: "a: 3 suspect cases (correlated), for example: the value drifted …".
void notes_print(const struct notes *notes, struct screen *screen);

// ---------------------------------------------------------------- cells

// One cell of a table: a number as text, with its interval and the letters of its notes.
struct cell {
    const char *number; // "16.3"; "–" if the case has no number, "" if there is no such case
    const char *margin; // half the interval, "±0.4%"; "" if there is none
    const char *mark;   // letters of the notes, "a" or "ac", at most three; "" if there are none
    enum screen_paint paint;
};

// Widths of the three parts of a column of cells.
struct cell_widths {
    size_t number, margin, mark;
};

struct table {
    struct screen *screen;
    const struct notes *notes;
    const struct view_grid *grid;
};

struct cell cell_of(const struct table *table, const struct result *result,
                    const struct metric *metric, const struct screen_scale *scale);

// Widens a column if the cell does not fit.
void cell_measure(struct cell_widths *widths, const struct cell *cell);

// Returns the width of a column of cells. Widens the column first if its head does not fit.
size_t cell_columns(struct cell_widths *widths, const char *head);
void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths);

// The medians of a series, one per x of the grid; NaN if there is none.
double *series_values(struct arena *arena, const struct view_grid *grid,
                      const struct view_series *series);

// The unit that all metrics of a grid are shown in (metric_unit_shown). If they differ, sets *mixed
// and returns the unit of the file.
enum unit grid_unit(const struct view_grid *grid, bool *mixed);

// The scale that all panels and series of a grid share.
struct screen_scale grid_scale(struct arena *arena, const struct view_grid *grid);

// ---------------------------------------------------------------- kinds of views

void curve_print(const struct table *table);
void bars_print(const struct table *table);
void heatmap_print(const struct table *table);

// Prints the first view of kind VIEW_LINES that has results, which stands in place of all other
// views: each case is a line in the form of a published table: "Y X: 0.377ms 3.908x". False if the
// benchmark has no such view.
bool lines_instead_print(struct screen *screen, const struct run *run, const char *device,
                         const struct benchmark_info *info);

// Prints one row per case and one column per metric and per sensor of the view, at most 256 rows
// and as many columns as fit; the view needs no x. If not all metrics fit with intervals, only the
// first column has intervals.
void cases_print(struct screen *screen, const struct notes *notes,
                 const struct benchmark_info *info, const struct view_info *view,
                 const struct result *const *results, size_t count);

// Prints the cases that have hardware counters: what was counted in % of what the benchmark claims,
// and the hit rates of the caches; nothing if there are none.
void counters_print(struct screen *screen, const struct benchmark_info *info,
                    const struct result *const *results, size_t count);

// Draws the time lines (report/spans.h) of the first 8 results that have one.
void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count);

// Prints the cases that one chip has through several APIs, with their ratios and a summary; nothing
// if no chip was measured through two APIs. With more than 40 cases the table has only those that
// differ by more than 3 %.
void cross_print(struct screen *screen, const struct run *run);

#endif
