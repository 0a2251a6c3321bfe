// SPDX-License-Identifier: MIT
// The tables of a run on a terminal, for report/console.c: each kind of view, the comparison of
// APIs, and the notes below them.
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/screen.h"
#include "results/results.h"

// ---------------------------------------------------------------- views as grids

// A view of a benchmark turned into panels of series over x: what a table or a chart shows. It
// knows no benchmark, only the parameters and metrics that the run file declares.
struct view_series {
    const char *label;             // "vector random"; "" where there is only one
    const struct result **results; // one for each x of the grid; NULL = no such case
};

// A heat map has a panel for each value of what is neither x nor y; all else has one.
struct view_panel {
    const char *label; // "" where there is only one
    struct view_series *series;
    size_t series_count;
};

struct view_grid {
    const struct benchmark_info *info;
    const struct view_info *view;
    const struct metric_info *metric;
    const struct param_info *x, *y; // y: heat maps, else NULL
    struct case_value *xs;          // ascending; texts in order of appearance
    size_t x_count;
    struct view_panel *panels;
    size_t panel_count;
    const char *common; // what all its cases share: "path=vector, load=idle"; "" = nothing
};

// The cases that a view shows of one device, in the order of the run; `count` of them.
const struct result **view_select(struct arena *arena, const struct run *run, const char *device,
                                  const struct view_info *view, const struct benchmark_info *info,
                                  size_t *count);

// Axes that take more than one value among the results, in the order of the benchmark.
const struct param_info **view_varying(struct arena *arena, const struct benchmark_info *info,
                                       const struct result *const *results, size_t count,
                                       size_t *varying_count);

// "vector random width=16": the values of the keys that tell cases apart.
const char *view_label(struct arena *arena, const struct result *result,
                       const struct param_info *const *keys, size_t count);

// "path=vector, load=idle": the axes on which all of the results agree, without x and y of the
// view, which may be NULL.
const char *view_common(struct arena *arena, const struct benchmark_info *info,
                        const struct view_info *view, const struct result *const *results,
                        size_t count);

// False where the view shows nothing of this device, or names an x or metric that is not declared.
// Axes that vary but that the view does not name are added to its groups, so no case hides another.
bool view_grid_build(struct arena *arena, const struct run *run, const char *device,
                     const struct benchmark_info *info, const struct view_info *view,
                     struct view_grid *grid);

// The metric that the grid draws of a result; NULL where it has none or no median.
const struct metric *view_metric(const struct view_grid *grid, const struct result *result);

// A value as people read it: "32 KiB", "64", "vector".
const char *view_value_text(struct arena *arena, const struct case_value *value,
                            const struct param_info *param);

// True if `scale` ("log2-linear", or one word for both axes) is logarithmic in y.
bool view_log_y(const struct view_info *view);

// ---------------------------------------------------------------- notes

enum screen_paint verdict_paint(enum verdict verdict);

// Why results of a benchmark are suspect, skipped or failed. Each note has a letter, which stands
// beside the numbers that it is about.
struct note {
    enum verdict verdict;
    const char *code, *text; // text: of the first result that has this note
    size_t cases;
    bool one_text; // all its results have the same text
};

struct notes {
    struct arena *arena;
    struct note *list;
    size_t count, capacity;
};

// The reasons of all results of a benchmark on a device.
struct notes notes_of(struct arena *arena, const struct run *run, const char *device,
                      const char *benchmark);

// Prints one note a line: "a: 3 suspect cases (correlated), for example: the value drifted …".
void notes_print(const struct notes *notes, struct screen *screen);

// ---------------------------------------------------------------- cells

// One number as text, with its interval and the letters of its notes.
struct cell {
    const char *number; // "16.3"; "–" if there is no number, "" if there is no such case
    const char *margin; // "±0.4%"
    const char *mark;   // "a", "ac"; at most three letters
    enum screen_paint paint;
};

// Widths of a column of cells.
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

// Widens a column so that the cell fits.
void cell_measure(struct cell_widths *widths, const struct cell *cell);

// The width of a column of cells. It is widened to the width of its head first.
size_t cell_columns(struct cell_widths *widths, const char *head);
void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths);

// The medians of a series, NaN where there is none.
double *series_values(struct arena *arena, const struct view_grid *grid,
                      const struct view_series *series);

// One scale for all panels and series of a grid.
struct screen_scale grid_scale(struct arena *arena, const struct view_grid *grid);

// ---------------------------------------------------------------- kinds of views

void curve_print(const struct table *table);
void bars_print(const struct table *table);
void heatmap_print(const struct table *table);

// Prints each case as a line in the form of a published table: "Y X: 0.377ms 3.908x".
void lines_print(struct screen *screen, const struct view_info *view,
                 const struct result *const *results, size_t count);

// Prints each case as a row and each metric as a column; needs no x. If the intervals do not fit,
// only the first column has them.
void cases_print(struct screen *screen, const struct notes *notes,
                 const struct benchmark_info *info, const struct view_info *view,
                 const struct result *const *results, size_t count);

// Draws the spans in time that results carry (report/spans.h).
void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count);

// Prints the same cases of one chip through each API, with their ratios; nothing if no chip was
// measured through two APIs. A long table shows only the cases whose APIs differ, and a summary.
void cross_print(struct screen *screen, const struct run *run);

#endif
