// SPDX-License-Identifier: MIT
#include "analysis/cross.h"
#include "base/text.h"
#include "math/stats.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

enum {
    // Maximum number of rows per chip; beyond it, only rows with a gap (cross_row.apart) are shown.
    ROWS_MAX = 40,
    VALUE_COLUMNS = 12, // minimum width of a column of values
    RATIO_COLUMNS = 15,
    GAP = 2
};

// The table of a chip: one column of values for each device and, except for the reference device,
// one of ratios.
struct chip_table {
    struct screen *screen;
    const struct cross_chip *chip;
    size_t value, ratio; // widths of the columns, with the blank before each number
};

// The rows to print of one benchmark and metric, measured on one chip through several APIs.
struct group {
    const struct cross_row **rows;
    size_t count;
    const struct param_info **axes; // parameters of role AXIS that vary among the rows of the group
    size_t axis_count;
    const char *common; // parameter values that all rows share: "chain=index, load=idle"
};

// Returns the rows, from `from` on, with the same benchmark and metric as the row `from`. If `all`
// is false, returns only the rows in which the APIs differ (cross_row.apart).
static struct group group_of(struct arena *arena, const struct run *run,
                             const struct cross_chip *chip, size_t from, bool all)
{
    const struct cross_row *model = &chip->rows[from];
    struct group group = {.rows = ARENA_ARRAY(arena, chip->row_count, const struct cross_row *),
                          .common = ""};
    const struct result **results = ARENA_ARRAY(arena, chip->row_count, const struct result *);
    for (size_t i = from; i < chip->row_count; i++) {
        const struct cross_row *row = &chip->rows[i];
        if (!cross_same_group(row, model) || !(all || row->apart))
            continue;
        results[group.count] = row->first;
        group.rows[group.count++] = row;
    }
    const struct benchmark_info *info = run_benchmark(run, model->first->benchmark);
    if (info && group.count) {
        group.axes = view_varying(arena, info, results, group.count, &group.axis_count);
        group.common = view_common(arena, info, NULL, results, group.count);
    }
    return group;
}

// ---------------------------------------------------------------- printing rows

static const char *ratio_text(struct arena *arena, const struct ratio *ratio)
{
    if (!isfinite(ratio->value))
        return "–";
    if (!isfinite(ratio->low))
        return arena_printf(arena, "%.3f", ratio->value);
    return arena_printf(arena, "%.3f ±%.3f", ratio->value, (ratio->high - ratio->low) / 2);
}

static struct chip_table chip_table_of(struct screen *screen, const struct cross_chip *chip)
{
    struct chip_table table = {screen, chip, VALUE_COLUMNS - 1, RATIO_COLUMNS - 1};
    for (size_t row = 0; row < chip->row_count; row++)
        for (size_t i = 0; i < chip->device_count; i++) {
            const struct cross_cell *cell = &chip->rows[row].cells[i];
            screen_widen(&table.value, screen_median(screen->arena, cell->metric, "–"));
            screen_widen(&table.ratio, ratio_text(screen->arena, &cell->ratio));
        }
    table.value++;
    table.ratio++;
    return table;
}

static void head_print(const struct chip_table *table)
{
    struct screen *screen = table->screen;
    const struct cross_chip *chip = table->chip;
    struct arena *arena = screen->arena;
    fprintf(screen->stream, "%*s", GAP, "");
    for (size_t i = 0; i < chip->device_count; i++) {
        screen_right(screen, screen_quote(arena, chip->devices[i]->id, table->value - 1),
                     table->value);
        if (i != chip->reference)
            screen_right(screen, "ratio", table->ratio);
    }
    fprintf(screen->stream, "%*scase (ratios to %s)\n", GAP, "",
            screen_quote(arena, chip->devices[chip->reference]->id, 16));
}

static void row_print(const struct chip_table *table, const struct group *group,
                      const struct cross_row *row)
{
    struct screen *screen = table->screen;
    const struct cross_chip *chip = table->chip;
    struct arena *arena = screen->arena;
    fprintf(screen->stream, "%*s", GAP, "");
    for (size_t i = 0; i < chip->device_count; i++) {
        const struct cross_cell *cell = &row->cells[i];
        screen_right(screen, screen_median(arena, cell->metric, "–"), table->value);
        if (i != chip->reference)
            screen_paint_right(screen, cell->apart ? PAINT_YELLOW : PAINT_NONE,
                               ratio_text(arena, &cell->ratio), table->ratio);
    }
    const char *name = group->axis_count ? view_words(arena, &row->first->bench_case, group->axes,
                                                      group->axis_count, "–")
                                         : row->first->key;
    size_t used = chip->device_count * table->value + (chip->device_count - 1) * table->ratio +
                  (size_t)2 * GAP;
    if (used + screen_width(name) > screen->columns) {
        used = (size_t)3 * GAP;
        fputc('\n', screen->stream);
        fprintf(screen->stream, "%*s", (int)used, "");
    } else {
        fprintf(screen->stream, "%*s", GAP, "");
    }
    fputs(screen_quote(arena, name, screen->columns - used), screen->stream);
    fputc('\n', screen->stream);
}

// Prints at most `most` rows of the group, and returns how many it printed.
static size_t group_print(const struct chip_table *table, const struct group *group, size_t most)
{
    struct screen *screen = table->screen;
    const struct cross_row *first = group->rows[0];
    const char *head =
        arena_printf(screen->arena, "  the %s of %s", first->metric->name, first->first->benchmark);
    head = text_join(screen->arena, head, " · ", group->common);
    screen_paint(screen, PAINT_DIM, screen_quote(screen->arena, head, screen->columns));
    fputc('\n', screen->stream);
    size_t shown = group->count < most ? group->count : most;
    for (size_t i = 0; i < shown; i++)
        row_print(table, group, group->rows[i]);
    return shown;
}

// Prints how much one device differs from the chip's reference device, such as "vulkan:0 ÷ cuda:0:
// 88 equal values, median ratio 0.998 (0.981 … 1.012), 3 differ by more than 3 %".
static void summary_print(struct screen *screen, const struct cross_chip *chip, size_t device)
{
    struct arena *arena = screen->arena;
    double *ratios = ARENA_ARRAY(arena, chip->row_count, double);
    size_t count = 0, apart = 0;
    for (size_t i = 0; i < chip->row_count; i++) {
        const struct cross_cell *cell = &chip->rows[i].cells[device];
        apart += cell->apart;
        if (isfinite(cell->ratio.value))
            ratios[count++] = cell->ratio.value;
    }
    if (!count)
        return;
    double median = stats_median(ratios, count);
    const char *text = arena_printf(arena,
                                    "%s ÷ %s: %zu equal value%s, median ratio %.3f (%.3f … %.3f), "
                                    "%zu differ%s by more than 3 %%",
                                    chip->devices[device]->id, chip->devices[chip->reference]->id,
                                    count, count == 1 ? "" : "s", median, ratios[0],
                                    ratios[count - 1], apart, apart == 1 ? "s" : "");
    fputs("  ", screen->stream);
    screen_wrap(screen, text, 2, 4);
}

static void groups_print(struct screen *screen, const struct run *run,
                         const struct cross_chip *chip)
{
    bool all = chip->row_count <= ROWS_MAX;
    size_t shown = 0, wanted = 0;
    for (size_t i = 0; i < chip->row_count; i++)
        wanted += all || chip->rows[i].apart;
    const struct chip_table table = chip_table_of(screen, chip);
    if (wanted)
        head_print(&table);
    for (size_t i = 0; i < chip->row_count && shown < ROWS_MAX; i++) {
        struct group group = {0};
        if (cross_opens_group(chip, i))
            group = group_of(screen->arena, run, chip, i, all);
        if (group.count)
            shown += group_print(&table, &group, ROWS_MAX - shown);
    }
    if (shown < wanted)
        fprintf(screen->stream, "  … and %zu more\n", wanted - shown);
    if (!all)
        fprintf(screen->stream, "  (only the cases that differ by more than 3 %%, of %zu)\n",
                chip->row_count);
}

static void chip_print(struct screen *screen, const struct run *run, const struct cross_chip *chip)
{
    const char *name = chip->devices[0]->name ? chip->devices[0]->name : chip->devices[0]->id;
    screen_title(screen, arena_printf(screen->arena, "%s through %zu APIs",
                                      screen_quote(screen->arena, name, 60), chip->device_count));
    groups_print(screen, run, chip);
    for (size_t i = 0; i < chip->device_count; i++)
        if (i != chip->reference)
            summary_print(screen, chip, i);
}

void cross_print(struct screen *screen, const struct run *run)
{
    struct cross cross = cross_of(screen->arena, run);
    for (size_t i = 0; i < cross.chip_count; i++)
        if (cross.chips[i].row_count)
            chip_print(screen, run, &cross.chips[i]);
}
