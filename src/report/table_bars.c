// SPDX-License-Identifier: MIT
// Prints a view of bars: one line per value, with its share of the limit.
#include "report/tables.h"

#include <math.h>

enum {
    LABEL_COLUMNS = 36,
    BAR_COLUMNS = 36
};

struct line {
    const char *label;
    // Unit of the value, such as "TFLOP/s"; "" if all bars have the same unit or there is no value.
    const char *unit;
    // Share of the limit that the value reaches, such as "98.7%"; "" if it is not known.
    const char *share;
    struct cell cell;
    double value;
};

static struct line line_of(const struct table *table, const struct view_series *series, size_t x)
{
    const struct view_grid *grid = table->grid;
    struct arena *arena = table->screen->arena;
    const struct result *result = series->results[x];
    const struct metric *metric = view_metric(grid, result);
    const char *label = view_value_text(arena, &grid->xs[x], grid->x);
    if (*series->label)
        label = arena_printf(arena, "%s %s", label, series->label);
    struct line line = {
        .label = screen_quote(arena, label, screen_part(table->screen, LABEL_COLUMNS, 2)),
        .unit = "",
        .share = "",
        .cell = cell_of(table->notes, result, metric, &table->scale),
        .value = metric ? metric->median : NAN};
    if (metric && isfinite(metric_share(metric, metric->median)))
        line.share = arena_printf(arena, "%.1f%%", 100 * metric_share(metric, metric->median));
    if (metric && grid->mixed)
        unit_scale(1 / table->scale.factor, metric_unit_shown(metric), &line.unit);
    return line;
}

static size_t lines_of(const struct table *table, struct line *lines)
{
    const struct view_grid *grid = table->grid;
    size_t count = 0;
    for (size_t x = 0; x < grid->x_count; x++)
        for (size_t p = 0; p < grid->panel_count; p++)
            for (size_t s = 0; s < grid->panels[p].series_count; s++)
                if (grid->panels[p].series[s].results[x])
                    lines[count++] = line_of(table, &grid->panels[p].series[s], x);
    return count;
}

// Widths of the columns to the left of the bars; 0 for a column that the table lacks.
struct widths {
    size_t label, unit, share;
    struct cell_widths cell;
};

static void line_print(struct screen *screen, const struct line *line, struct widths *widths,
                       double highest)
{
    fputs("  ", screen->stream);
    screen_left(screen, line->label, widths->label);
    fputs("  ", screen->stream);
    cell_print(screen, &line->cell, &widths->cell);
    size_t used = 2 + widths->label + 2 + cell_columns(&widths->cell, "") + 2;
    if (widths->unit) {
        fputc(' ', screen->stream);
        screen_left(screen, line->unit, widths->unit);
        used += widths->unit + 1;
    }
    if (widths->share) {
        fputs("  ", screen->stream);
        screen_right(screen, line->share, widths->share);
        used += widths->share + 2;
    }
    if (isfinite(line->value) && used + 8 <= screen->columns) {
        size_t left = screen->columns - used;
        fputs("  ", screen->stream);
        screen_paint(screen, PAINT_DIM,
                     screen_bar(screen->arena, line->value / highest,
                                left < BAR_COLUMNS ? left : BAR_COLUMNS));
    }
    fputc('\n', screen->stream);
}

void bars_print(const struct table *table)
{
    const struct view_grid *grid = table->grid;
    struct screen *screen = table->screen;
    size_t most = 0;
    for (size_t p = 0; p < grid->panel_count; p++)
        most += grid->panels[p].series_count * grid->x_count;
    struct line *lines = ARENA_ARRAY(screen->arena, most, struct line);
    size_t count = lines_of(table, lines);
    struct widths widths = {0};
    double highest = 0;
    for (size_t i = 0; i < count; i++) {
        screen_widen(&widths.label, lines[i].label);
        screen_widen(&widths.unit, lines[i].unit);
        screen_widen(&widths.share, lines[i].share);
        cell_measure(&widths.cell, &lines[i].cell);
        if (isfinite(lines[i].value))
            highest = fmax(highest, lines[i].value);
    }
    if (widths.share) {
        size_t before = 2 + widths.label + 2 + cell_columns(&widths.cell, "") +
                        (widths.unit ? 1 + widths.unit : 0);
        fprintf(screen->stream, "%*s  of limit\n", (int)before, "");
        widths.share = widths.share < 8 ? 8 : widths.share;
    }
    for (size_t i = 0; i < count; i++)
        line_print(screen, &lines[i], &widths, highest);
}
