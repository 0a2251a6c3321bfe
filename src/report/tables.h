// SPDX-License-Identifier: MIT
// How each kind of view looks on a terminal; for report/console.c.
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/notes.h"
#include "report/view.h"

// One number with what belongs to it, as text.
struct cell {
    const char *number; // "16.3", "–", "" where there is no such case
    const char *margin; // "±0.4%"
    const char *mark;   // letters of the notes
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
void cell_measure(struct cell_widths *widths, const struct cell *cell);
size_t cell_columns(const struct cell_widths *widths);
void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths);

// The medians of a series, NaN where there is none.
double *series_values(struct arena *arena, const struct view_grid *grid,
                      const struct view_series *series);

// One scale for all panels and series of a grid.
struct screen_scale grid_scale(struct arena *arena, const struct view_grid *grid);

void curve_print(const struct table *table);
void bars_print(const struct table *table);
void heatmap_print(const struct table *table);

// Every case a line: "Y X: 0.377ms 3.908x".
void lines_print(struct screen *screen, const struct view_info *view,
                 const struct result *const *results, size_t count);

// Every case a row, every metric a column; needs no x. Where intervals do not fit they stand in the
// first column only.
void cases_print(struct screen *screen, const struct notes *notes,
                 const struct benchmark_info *info, const struct view_info *view,
                 const struct result *const *results, size_t count);

// The spans that results carry: series with columns start, end (ns) and lane, where they have few
// rows; how many there are at once, where they have many. The detail "lane 0" names a lane.
void timelines_print(struct screen *screen, const struct benchmark_info *info,
                     const struct result *const *results, size_t count);

#endif
