// SPDX-License-Identifier: MIT
#include "report/cross_console.h"
#include "analysis/cross.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_MAX = 40, // of one chip; more: only those that are apart
    VALUE_COLUMNS = 13,
    RATIO_COLUMNS = 15
};

static const char *value_text(struct arena *arena, const struct metric *metric)
{
    char text[64];
    if (!metric)
        return "–";
    unit_format(metric->median, metric->unit, text, sizeof text);
    return arena_strdup(arena, text);
}

static const char *ratio_text(struct arena *arena, const struct ratio *ratio)
{
    if (!isfinite(ratio->value))
        return "–";
    if (!isfinite(ratio->low))
        return arena_printf(arena, "%.3f", ratio->value);
    return arena_printf(arena, "%.3f ±%.3f", ratio->value, (ratio->high - ratio->low) / 2);
}

static size_t columns_of(const struct cross_chip *chip)
{
    return chip->device_count * VALUE_COLUMNS + (chip->device_count - 1) * RATIO_COLUMNS + 2;
}

static void head_print(struct screen *screen, const struct cross_chip *chip)
{
    struct arena *arena = screen->arena;
    const char *reference = chip->devices[chip->reference]->id;
    fputs("  ", screen->stream);
    for (size_t i = 0; i < chip->device_count; i++) {
        screen_right(screen, screen_quote(arena, chip->devices[i]->id, VALUE_COLUMNS - 1),
                     VALUE_COLUMNS);
        if (i != chip->reference)
            screen_right(screen, chip->device_count == 2 ? "ratio" : "÷", RATIO_COLUMNS);
    }
    fputs("  case (ratios to ", screen->stream);
    fputs(screen_quote(arena, reference, 16), screen->stream);
    fputs(")\n", screen->stream);
}

static void row_print(struct screen *screen, const struct cross_chip *chip,
                      const struct cross_row *row)
{
    struct arena *arena = screen->arena;
    fputs("  ", screen->stream);
    for (size_t i = 0; i < chip->device_count; i++) {
        const struct cross_cell *cell = &row->cells[i];
        screen_right(screen, value_text(arena, cell->metric), VALUE_COLUMNS);
        if (i == chip->reference)
            continue;
        const char *text = ratio_text(arena, &cell->ratio);
        size_t width = screen_width(text);
        fprintf(screen->stream, "%*s", width < RATIO_COLUMNS ? (int)(RATIO_COLUMNS - width) : 0,
                "");
        screen_paint(screen, cell->apart ? PAINT_YELLOW : PAINT_NONE, text);
    }
    const char *name = arena_printf(arena, "%s %s", row->first->key, row->metric->name);
    size_t used = columns_of(chip) + 2;
    if (used + screen_width(name) > screen->columns) {
        fprintf(screen->stream, "\n%*s", 6, "");
        used = 6;
    } else {
        fputs("  ", screen->stream);
    }
    fputs(screen_quote(arena, name, screen->columns - used), screen->stream);
    fputc('\n', screen->stream);
}

// "vulkan:0 ÷ cuda:0: 88 equal cases, ratio 0.998 in the middle (0.981 … 1.012), 3 apart"
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
    const char *text = arena_printf(
        arena,
        "%s ÷ %s: %zu equal case%s, ratio %.3f in the middle (%.3f … %.3f), %zu beyond "
        "%.2f–%.2f",
        chip->devices[device]->id, chip->devices[chip->reference]->id, count, count == 1 ? "" : "s",
        median, ratios[0], ratios[count - 1], apart, CROSS_RATIO_LOW, CROSS_RATIO_HIGH);
    fputs("  ", screen->stream);
    screen_wrap(screen, text, 2, 4);
}

static void chip_print(struct screen *screen, const struct cross_chip *chip)
{
    bool all = chip->row_count <= ROWS_MAX;
    size_t shown = 0, wanted = 0;
    fputc('\n', screen->stream);
    const char *name = chip->devices[0]->name ? chip->devices[0]->name : chip->devices[0]->id;
    screen_paint(screen, PAINT_BOLD,
                 arena_printf(screen->arena, "%s through %zu APIs",
                              screen_quote(screen->arena, name, 60), chip->device_count));
    fputc('\n', screen->stream);
    for (size_t i = 0; i < chip->row_count; i++)
        wanted += all || chip->rows[i].apart;
    if (wanted)
        head_print(screen, chip);
    for (size_t i = 0; i < chip->row_count && shown < ROWS_MAX; i++) {
        if (!all && !chip->rows[i].apart)
            continue;
        row_print(screen, chip, &chip->rows[i]);
        shown++;
    }
    if (shown < wanted)
        fprintf(screen->stream, "  … and %zu more\n", wanted - shown);
    if (!all)
        fprintf(screen->stream, "  (only cases whose APIs are apart, of %zu)\n", chip->row_count);
    for (size_t i = 0; i < chip->device_count; i++)
        if (i != chip->reference)
            summary_print(screen, chip, i);
}

void cross_print(struct screen *screen, const struct run *run)
{
    struct cross cross = cross_of(screen->arena, run);
    for (size_t i = 0; i < cross.chip_count; i++)
        if (cross.chips[i].row_count)
            chip_print(screen, &cross.chips[i]);
}
