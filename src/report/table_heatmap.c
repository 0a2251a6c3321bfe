// SPDX-License-Identifier: MIT
// Prints a heat map as a matrix of numbers, with the widest interval below it.
#include "report/tables.h"

#include <math.h>

enum {
    LABEL_COLUMNS = 20, // maximum width of the text above a column, in columns of the screen
    ROW_COLUMNS = 36,   // maximum width of the label of a row, in columns of the screen
    GAP = 1
};

// Returns the column with the labels of the rows.
static struct column labels_of(const struct table *table, const struct view_panel *panel)
{
    struct arena *arena = table->screen->arena;
    struct column labels = {.name = table->grid->y ? table->grid->y->key : "",
                            .cells = ARENA_ARRAY(arena, panel->series_count, struct cell),
                            .gap = 2};
    const size_t most = screen_part(table->screen, ROW_COLUMNS, 2);
    labels.columns = screen_width(labels.name);
    for (size_t row = 0; row < panel->series_count; row++) {
        labels.cells[row].number = screen_quote(arena, panel->series[row].label, most);
        screen_widen(&labels.columns, labels.cells[row].number);
    }
    if (labels.columns > most)
        labels.columns = most;
    labels.widths.number = labels.columns;
    return labels;
}

// Returns a column for each x. All have the same width. Sets *widest to the largest half-width of
// the cells' 95 % intervals, relative to the median.
static struct column *columns_of(const struct table *table, const struct view_panel *panel,
                                 double *widest)
{
    const struct view_grid *grid = table->grid;
    struct arena *arena = table->screen->arena;
    struct column *columns = ARENA_ARRAY(arena, grid->x_count, struct column);
    struct cell_widths widths = {0};
    const size_t most = screen_part(table->screen, LABEL_COLUMNS, 3);
    size_t width = 0;
    *widest = 0;
    for (size_t x = 0; x < grid->x_count; x++) {
        const char *head = view_value_text(arena, &grid->xs[x], grid->x);
        columns[x] = (struct column){.name = screen_quote(arena, head, most),
                                     .cells = ARENA_ARRAY(arena, panel->series_count, struct cell),
                                     .gap = GAP};
        for (size_t row = 0; row < panel->series_count; row++) {
            const struct result *result = panel->series[row].results[x];
            const struct metric *metric = view_metric(grid, result);
            struct cell *cell = &columns[x].cells[row];
            *cell = cell_of(table->notes, result, metric, &table->scale);
            cell->margin = "";
            cell_measure(&widths, cell);
            double half =
                metric ? (metric->ci95[1] - metric->ci95[0]) / 2 / fabs(metric->median) : NAN;
            *widest = isfinite(half) ? fmax(*widest, half) : *widest;
        }
    }
    for (size_t x = 0; x < grid->x_count; x++)
        width = cell_columns(&widths, columns[x].name);
    for (size_t x = 0; x < grid->x_count; x++) {
        columns[x].widths = widths;
        columns[x].columns = width;
    }
    return columns;
}

static void block_print(struct screen *screen, const struct column *labels,
                        const struct column *columns, size_t count, size_t rows)
{
    column_head_print(screen, labels, labels->name);
    for (size_t i = 0; i < count; i++)
        column_head_print(screen, &columns[i], columns[i].name);
    fputc('\n', screen->stream);
    for (size_t row = 0; row < rows; row++) {
        column_cell_print(screen, labels, row);
        for (size_t i = 0; i < count; i++)
            column_cell_print(screen, &columns[i], row);
        fputc('\n', screen->stream);
    }
}

static void panel_print(const struct table *table, const struct view_panel *panel)
{
    struct screen *screen = table->screen;
    const struct view_grid *grid = table->grid;
    double widest;
    const struct column labels = labels_of(table, panel);
    const struct column *columns = columns_of(table, panel, &widest);
    if (*panel->label)
        fprintf(screen->stream, "  %s, by %s\n",
                screen_quote(screen->arena, panel->label, screen->columns / 2), grid->x->key);
    else
        fprintf(screen->stream, "  by %s\n", grid->x->key);
    size_t fit = (screen->columns - 2 - labels.columns) / (columns[0].columns + GAP);
    for (size_t first = 0, end; first < grid->x_count; first = end) {
        end = first + (fit ? fit : 1);
        end = end < grid->x_count ? end : grid->x_count;
        block_print(screen, &labels, columns + first, end - first, panel->series_count);
    }
    if (widest > 0)
        fprintf(screen->stream, "  (intervals up to ±%.1f%%)\n", 100 * widest);
}

void heatmap_print(const struct table *table)
{
    for (size_t i = 0; i < table->grid->panel_count; i++)
        panel_print(table, &table->grid->panels[i]);
}
