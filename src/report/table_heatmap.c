// SPDX-License-Identifier: MIT
// Prints a heat map as a matrix of numbers, with the widest interval below it.
#include "report/tables.h"

#include <math.h>

enum {
    LABEL_COLUMNS = 20, // maximum width of the text above a column, in columns of the screen
    ROW_COLUMNS = 36,   // maximum width of the label of a row, in columns of the screen
    GAP = 1
};

struct matrix {
    const struct table *table;
    const struct view_panel *panel;
    struct cell *cells; // the cells of the matrix, row by row
    struct cell_widths widths;
    const char **heads; // heads of the columns: the values of x as texts
    size_t column_width, label_width;
    double widest; // largest half-width of the cells' 95 % intervals, relative to the median
};

static void matrix_cells(struct matrix *matrix, const struct screen_scale *scale)
{
    const struct table *table = matrix->table;
    const struct view_grid *grid = table->grid;
    for (size_t row = 0; row < matrix->panel->series_count; row++) {
        for (size_t x = 0; x < grid->x_count; x++) {
            const struct result *result = matrix->panel->series[row].results[x];
            const struct metric *metric = view_metric(grid, result);
            struct cell *cell = &matrix->cells[row * grid->x_count + x];
            *cell = cell_of(table, result, metric, scale);
            cell->margin = "";
            cell_measure(&matrix->widths, cell);
            double half =
                metric ? (metric->ci95[1] - metric->ci95[0]) / 2 / fabs(metric->median) : NAN;
            matrix->widest = isfinite(half) ? fmax(matrix->widest, half) : matrix->widest;
        }
    }
}

static void matrix_measure(struct matrix *matrix)
{
    const struct view_grid *grid = matrix->table->grid;
    struct arena *arena = matrix->table->screen->arena;
    matrix->label_width = screen_width(grid->y ? grid->y->key : "");
    for (size_t row = 0; row < matrix->panel->series_count; row++)
        screen_widen(&matrix->label_width, matrix->panel->series[row].label);
    if (matrix->label_width > ROW_COLUMNS)
        matrix->label_width = ROW_COLUMNS;
    for (size_t x = 0; x < grid->x_count; x++) {
        matrix->heads[x] =
            screen_quote(arena, view_value_text(arena, &grid->xs[x], grid->x), LABEL_COLUMNS);
        matrix->column_width = cell_columns(&matrix->widths, matrix->heads[x]);
    }
}

static void block_print(const struct matrix *matrix, size_t first, size_t end)
{
    struct screen *screen = matrix->table->screen;
    const struct view_grid *grid = matrix->table->grid;
    fputs("  ", screen->stream);
    screen_right(screen, grid->y ? grid->y->key : "", matrix->label_width);
    for (size_t x = first; x < end; x++) {
        fprintf(screen->stream, "%*s", GAP, "");
        screen_right(screen, matrix->heads[x], matrix->column_width);
    }
    fputc('\n', screen->stream);
    for (size_t row = 0; row < matrix->panel->series_count; row++) {
        const char *label = matrix->panel->series[row].label;
        fputs("  ", screen->stream);
        screen_right(screen, screen_quote(screen->arena, label, ROW_COLUMNS), matrix->label_width);
        for (size_t x = first; x < end; x++) {
            fprintf(screen->stream, "%*s", GAP, "");
            cell_print(screen, &matrix->cells[row * grid->x_count + x], &matrix->widths);
        }
        fputc('\n', screen->stream);
    }
}

static void panel_print(const struct table *table, const struct view_panel *panel,
                        const struct screen_scale *scale)
{
    struct screen *screen = table->screen;
    struct arena *arena = screen->arena;
    const struct view_grid *grid = table->grid;
    struct matrix matrix = {
        .table = table,
        .panel = panel,
        .cells = ARENA_ARRAY(arena, panel->series_count * grid->x_count, struct cell),
        .heads = ARENA_ARRAY(arena, grid->x_count, const char *)};
    matrix_cells(&matrix, scale);
    matrix_measure(&matrix);
    if (*panel->label)
        fprintf(screen->stream, "  %s, by %s\n",
                screen_quote(arena, panel->label, screen->columns / 2), grid->x->key);
    else
        fprintf(screen->stream, "  by %s\n", grid->x->key);
    size_t fit = (screen->columns - 2 - matrix.label_width) / (matrix.column_width + GAP);
    fit = fit ? fit : 1;
    for (size_t first = 0; first < grid->x_count; first += fit)
        block_print(&matrix, first, first + fit < grid->x_count ? first + fit : grid->x_count);
    if (matrix.widest > 0)
        fprintf(screen->stream, "  (intervals up to ±%.1f%%)\n", 100 * matrix.widest);
}

void heatmap_print(const struct table *table)
{
    struct screen_scale scale = grid_scale(table->screen->arena, table->grid);
    for (size_t i = 0; i < table->grid->panel_count; i++)
        panel_print(table, &table->grid->panels[i], &scale);
}
