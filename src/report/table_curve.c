// SPDX-License-Identifier: MIT
// Prints a view of curves as a table: one row per value of x, and one column per series. If there
// are many values of x, only some rows are printed. If there are more than two, each series gets a
// line below the table, with its lowest and its highest value and a drawing in blocks. A single
// series gets a bar in each row, and the blocks only if rows are left out.
#include "report/tables.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_MAX = 28,
    SPARK_COLUMNS = 32,
    LABEL_COLUMNS = 24,
    X_COLUMNS = 32,
    GAP = 2
};

static struct column column_of(const struct table *table, const struct view_series *series)
{
    const struct view_grid *grid = table->grid;
    struct arena *arena = table->screen->arena;
    const char *label = *series->label ? series->label : grid->metric->name;
    struct column column = {
        .name = screen_quote(arena, label, screen_part(table->screen, LABEL_COLUMNS, 3)),
        .cells = ARENA_ARRAY(arena, grid->x_count, struct cell),
        .gap = GAP};
    for (size_t i = 0; i < grid->x_count; i++) {
        const struct result *result = series->results[i];
        column.cells[i] = cell_of(table->notes, result, view_metric(grid, result), &table->scale);
        cell_measure(&column.widths, &column.cells[i]);
    }
    column.columns = cell_columns(&column.widths, column.name);
    return column;
}

static struct column x_column_of(const struct table *table)
{
    const struct view_grid *grid = table->grid;
    struct arena *arena = table->screen->arena;
    struct column column = {
        .name = grid->x->key, .cells = ARENA_ARRAY(arena, grid->x_count, struct cell), .gap = GAP};
    const size_t most = screen_part(table->screen, X_COLUMNS, 3);
    for (size_t i = 0; i < grid->x_count; i++) {
        const char *text = view_value_text(arena, &grid->xs[i], grid->x);
        column.cells[i] =
            (struct cell){.number = screen_quote(arena, text, most), .margin = "", .mark = ""};
        cell_measure(&column.widths, &column.cells[i]);
    }
    column.columns = cell_columns(&column.widths, column.name);
    return column;
}

// The printed rows of a curve's table: every step-th row, and all rows at powers of two, because a
// device often changes its behaviour there.
struct rows {
    // Number of printed rows, and their step. If the step is 0, only rows at powers of two are
    // printed.
    size_t step, shown;
};

static bool whole_octave(const struct case_value *x)
{
    bool integer = x->type == PARAM_BYTES || x->type == PARAM_UINT;
    return integer && x->uint && (x->uint & (x->uint - 1)) == 0;
}

static bool row_shown(const struct rows *rows, const struct view_grid *grid, size_t row)
{
    return whole_octave(&grid->xs[row]) || (rows->step && row % rows->step == 0);
}

static size_t rows_shown(const struct rows *rows, const struct view_grid *grid)
{
    size_t shown = 0;
    for (size_t row = 0; row < grid->x_count; row++)
        shown += row_shown(rows, grid, row);
    return shown;
}

static struct rows rows_choose(const struct view_grid *grid)
{
    struct rows rows = {.step = 1, .shown = grid->x_count};
    if (grid->x_count <= ROWS_MAX)
        return rows;
    rows.step = 0;
    rows.shown = rows_shown(&rows, grid);
    // true: x is a size in bytes of a working set; such sizes usually grow by a constant factor
    bool sizes = grid->xs[0].type == PARAM_BYTES;
    if (sizes && rows.shown >= ROWS_MAX / 4 && rows.shown <= ROWS_MAX)
        return rows;
    do {
        rows.step++;
        rows.shown = rows_shown(&rows, grid);
    } while (rows.shown > ROWS_MAX && rows.step < grid->x_count);
    return rows;
}

// Draws the value of a row as a bar to the right of the numbers, if there is only one series.
static void row_bar(const struct table *table, const struct column *x, const struct column *column,
                    double value, double highest)
{
    size_t used = GAP + x->columns + GAP + column->columns + GAP;
    if (used + 10 > table->screen->columns || !isfinite(value))
        return;
    size_t left = table->screen->columns - used;
    fprintf(table->screen->stream, "%*s", GAP, "");
    screen_paint(table->screen, PAINT_DIM,
                 screen_bar(table->screen->arena, value / highest, left < 50 ? left : 50));
}

static double highest_of(const double *values, size_t count)
{
    double highest = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            highest = fmax(highest, values[i]);
    return highest;
}

static void block_print(const struct table *table, const struct column *x,
                        const struct column *columns, size_t count, const double *only)
{
    struct screen *screen = table->screen;
    const struct view_grid *grid = table->grid;
    struct rows rows = rows_choose(grid);
    double highest = only ? highest_of(only, grid->x_count) : 0;
    column_head_print(screen, x, x->name);
    for (size_t i = 0; i < count; i++)
        column_head_print(screen, &columns[i], columns[i].name);
    fputc('\n', screen->stream);
    for (size_t row = 0; row < grid->x_count; row++) {
        if (!row_shown(&rows, grid, row))
            continue;
        column_cell_print(screen, x, row);
        for (size_t i = 0; i < count; i++)
            column_cell_print(screen, &columns[i], row);
        if (only)
            row_bar(table, x, &columns[0], only[row], highest);
        fputc('\n', screen->stream);
    }
}

static const char *at_text(const struct table *table, const double *values, size_t index)
{
    struct arena *arena = table->screen->arena;
    return arena_printf(arena, "%s at %s", unit_text(arena, values[index], table->grid->unit),
                        view_value_text(arena, &table->grid->xs[index], table->grid->x));
}

static const char *limit_text(const struct table *table, const struct view_series *series,
                              size_t index)
{
    const struct metric *metric = view_metric(table->grid, series->results[index]);
    double share = metric ? metric_share(metric, metric->median) : NAN;
    if (!isfinite(share))
        return "";
    return arena_printf(table->screen->arena, " (%.1f%% of the limit)", 100 * share);
}

// Prints a series, as blocks if `spark` is true, with its lowest and highest value: "vector random
// ▁▁▁▂▂▅▅█  16.30 ns at 1 KiB … 335.1 ns at 4 GiB".
static void series_line(const struct table *table, const struct view_series *series,
                        size_t label_width, bool spark)
{
    struct screen *screen = table->screen;
    const struct view_grid *grid = table->grid;
    double *values = series_values(screen->arena, grid, series);
    size_t low = grid->x_count, high = grid->x_count;
    for (size_t i = 0; i < grid->x_count; i++) {
        if (!isfinite(values[i]))
            continue;
        low = low == grid->x_count || values[i] < values[low] ? i : low;
        high = high == grid->x_count || values[i] > values[high] ? i : high;
    }
    if (low == grid->x_count)
        return;
    fputs("  ", screen->stream);
    size_t used = 2;
    if (*series->label) {
        screen_left(screen, screen_quote(screen->arena, series->label, label_width),
                    label_width + GAP);
        used += label_width + GAP;
    }
    if (spark) {
        size_t width = screen_part(screen, SPARK_COLUMNS, 3);
        width = grid->x_count < width ? grid->x_count : width;
        screen_left(
            screen,
            screen_spark(screen->arena, values, grid->x_count, width, view_log_y(grid->view)),
            width + GAP);
        used += width + GAP;
    }
    const char *text = arena_printf(screen->arena, "%s%s … %s%s", at_text(table, values, low),
                                    limit_text(table, series, low), at_text(table, values, high),
                                    limit_text(table, series, high));
    fputs(screen_quote(screen->arena, text, screen->columns - used), screen->stream);
    fputc('\n', screen->stream);
}

static void panel_print(const struct table *table, const struct view_panel *panel)
{
    struct screen *screen = table->screen;
    size_t label_width = 0;
    const struct column x = x_column_of(table);
    struct column *columns = ARENA_ARRAY(screen->arena, panel->series_count, struct column);
    for (size_t i = 0; i < panel->series_count; i++) {
        columns[i] = column_of(table, &panel->series[i]);
        screen_widen(&label_width, panel->series[i].label);
    }
    size_t label_most = screen_part(screen, LABEL_COLUMNS, 3);
    label_width = label_width > label_most ? label_most : label_width;
    const double *only =
        panel->series_count == 1 ? series_values(screen->arena, table->grid, panel->series) : NULL;
    for (size_t first = 0, next; first < panel->series_count; first = next) {
        size_t used = GAP + x.columns;
        for (next = first; next < panel->series_count; next++) {
            used += GAP + columns[next].columns;
            if (used > screen->columns && next > first)
                break;
        }
        block_print(table, &x, columns + first, next - first, only);
        if (next < panel->series_count)
            fputc('\n', screen->stream);
    }
    struct rows rows = rows_choose(table->grid);
    bool thinned = rows.shown < table->grid->x_count;
    if (thinned)
        fprintf(screen->stream, "  (%zu of %zu points; all of them are in the run file)\n",
                rows.shown, table->grid->x_count);
    if (table->grid->x_count > 2)
        for (size_t i = 0; i < panel->series_count; i++)
            series_line(table, &panel->series[i], label_width, thinned || !only);
}

void curve_print(const struct table *table)
{
    for (size_t i = 0; i < table->grid->panel_count; i++)
        panel_print(table, &table->grid->panels[i]);
}
