// SPDX-License-Identifier: MIT
#include "report/tables.h"

#include <math.h>

struct cell cell_of(const struct table *table, const struct result *result,
                    const struct metric *metric, const struct screen_scale *scale)
{
    struct arena *arena = table->screen->arena;
    if (!result)
        return (struct cell){.number = "", .margin = "", .mark = ""};
    struct cell cell = {.number = "–", .margin = "", .mark = notes_mark(table->notes, result)};
    cell.paint = result->verdict == VERDICT_OK ? PAINT_NONE : verdict_paint(result->verdict);
    if (metric && isfinite(metric->median)) {
        cell.number = screen_number(arena, metric->median, scale);
        cell.margin = screen_margin(arena, metric->median, metric->ci95);
    }
    return cell;
}

static void raise(size_t *width, const char *text)
{
    size_t wanted = screen_width(text);
    if (wanted > *width)
        *width = wanted;
}

void cell_measure(struct cell_widths *widths, const struct cell *cell)
{
    raise(&widths->number, cell->number);
    raise(&widths->margin, cell->margin);
    raise(&widths->mark, cell->mark);
}

size_t cell_columns(const struct cell_widths *widths)
{
    return widths->number + (widths->margin ? 1 + widths->margin : 0) +
           (widths->mark ? 1 + widths->mark : 0);
}

void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths)
{
    size_t pad = widths->number - screen_width(cell->number);
    fprintf(screen->stream, "%*s", (int)pad, "");
    screen_paint(screen, cell->paint, cell->number);
    if (widths->margin) {
        fputc(' ', screen->stream);
        screen_paint(screen, PAINT_DIM, cell->margin);
        fprintf(screen->stream, "%*s", (int)(widths->margin - screen_width(cell->margin)), "");
    }
    if (widths->mark) {
        fputc(' ', screen->stream);
        screen_paint(screen, cell->paint, cell->mark);
        fprintf(screen->stream, "%*s", (int)(widths->mark - screen_width(cell->mark)), "");
    }
}

double *series_values(struct arena *arena, const struct view_grid *grid,
                      const struct view_series *series)
{
    double *values = ARENA_ARRAY(arena, grid->x_count, double);
    for (size_t i = 0; i < grid->x_count; i++) {
        const struct metric *metric = view_metric(grid, series->results[i]);
        values[i] = metric ? metric->median : NAN;
    }
    return values;
}

struct screen_scale grid_scale(struct arena *arena, const struct view_grid *grid)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < grid->panel_count; i++)
        count += grid->panels[i].series_count * grid->x_count;
    double *values = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < grid->panel_count; i++) {
        const struct view_panel *panel = &grid->panels[i];
        for (size_t j = 0; j < panel->series_count; j++) {
            const double *some = series_values(arena, grid, &panel->series[j]);
            for (size_t k = 0; k < grid->x_count; k++)
                values[used++] = some[k];
        }
    }
    return screen_scale_of(values, count, grid->metric->unit);
}
