// SPDX-License-Identifier: MIT
// The tables of a run on a terminal, for report/console.c: each kind of view, the comparison of
// APIs, and the notes below them.
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/screen.h"
#include "report/view.h"

enum screen_paint verdict_paint(enum verdict verdict);

// ---------------------------------------------------------------- notes

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
