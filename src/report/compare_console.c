// SPDX-License-Identifier: MIT
#include "report/compare_report.h"
#include "report/screen.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS_MIN = 60,
    CHANGES_MAX = 40, // rows a word
    OTHERS_MAX = 8,
    VALUE_COLUMNS = 12,
    CHANGE_COLUMNS = 8,
    INTERVAL_COLUMNS = 17
};

static enum screen_paint word_paint(enum compare_word word)
{
    switch (word) {
    case COMPARE_FASTER:
        return PAINT_GREEN;
    case COMPARE_SLOWER:
    case COMPARE_BROKEN:
        return PAINT_RED;
    case COMPARE_CLOCK:
    case COMPARE_OTHER:
    case COMPARE_REFUSED:
        return PAINT_YELLOW;
    case COMPARE_SAME:
    case COMPARE_UNSURE:
    case COMPARE_MISSING:
    case COMPARE_ADDED:
    case COMPARE_WORD_COUNT:
        break;
    }
    return PAINT_DIM;
}

// "+5.1%" of a ratio.
static const char *percent(struct arena *arena, double ratio)
{
    double value = (ratio - 1) * 100;
    if (!isfinite(value))
        return "–";
    return arena_printf(arena, fabs(value) < 99.95 ? "%+.1f%%" : "%+.0f%%", value);
}

static const char *interval_text(struct arena *arena, const struct ratio *ratio)
{
    if (!isfinite(ratio->low))
        return "";
    return arena_printf(arena, "%s … %s", percent(arena, ratio->low), percent(arena, ratio->high));
}

static const char *value_text(struct arena *arena, const struct metric *metric)
{
    char text[64];
    unit_format(metric->median, metric->unit, text, sizeof text);
    return arena_strdup(arena, text);
}

// ---------------------------------------------------------------- pieces

static void file_print(struct screen *screen, const char *role, const char *name,
                       const struct run *run, const struct run_device *device)
{
    struct arena *arena = screen->arena;
    fputs(role, screen->stream);
    const char *text = arena_printf(
        arena, "%s · %s %s%s%s%s%s", name, device->id, device->name ? device->name : "",
        device->driver ? " · driver " : "", device->driver ? device->driver : "",
        run->started ? " · " : "", run->started ? run->started : "");
    fputs(screen_quote(arena, text, screen->columns - screen_width(role)), screen->stream);
    fputc('\n', screen->stream);
}

static void head_print(struct screen *screen, const struct compare_report *report)
{
    const struct compare *compare = report->compare;
    for (size_t i = 0; i < compare->pairs.count; i++) {
        const struct device_pair *pair = &compare->pairs.list[i];
        file_print(screen, report->reference ? "reference  " : "base  ", report->base_name,
                   compare->base, pair->base);
        file_print(screen, report->reference ? "measured   " : "new   ", report->now_name,
                   compare->now, pair->now);
    }
}

static void table_head(struct screen *screen)
{
    fputs("  ", screen->stream);
    screen_right(screen, "change", CHANGE_COLUMNS);
    fputs("  ", screen->stream);
    screen_left(screen, "interval", INTERVAL_COLUMNS);
    screen_right(screen, "base", VALUE_COLUMNS);
    screen_right(screen, "new", 1 + VALUE_COLUMNS);
    fputs("  case\n", screen->stream);
}

static void row_print(struct screen *screen, const struct compare *compare,
                      const struct compare_row *row)
{
    struct arena *arena = screen->arena;
    fputs("  ", screen->stream);
    screen_right(screen, percent(arena, row->ratio.value), CHANGE_COLUMNS);
    fputs("  ", screen->stream);
    screen_left(screen, interval_text(arena, &row->ratio), INTERVAL_COLUMNS);
    screen_right(screen, value_text(arena, row->base_metric), VALUE_COLUMNS);
    fputc(' ', screen->stream); // also between values that are wider
    screen_right(screen, value_text(arena, row->now_metric), VALUE_COLUMNS);
    const char *cycles = "";
    if (row->word == COMPARE_CLOCK)
        cycles = arena_printf(arena, " (cycles %s)", percent(arena, row->cycles.value));
    const char *text =
        arena_printf(arena, "%s %s%s%s", compare_row_case(arena, compare, row),
                     row->base_metric->name, cycles, row->suspect ? " (suspect)" : "");
    size_t used = 2 + CHANGE_COLUMNS + 2 + INTERVAL_COLUMNS + 2 * VALUE_COLUMNS + 3;
    fputs("  ", screen->stream);
    if (used + screen_width(text) <= screen->columns) {
        fputs(text, screen->stream);
        fputc('\n', screen->stream);
        return;
    }
    // A key too long for the line stands on one of its own.
    fprintf(screen->stream, "\n%*s%s\n", 2 + CHANGE_COLUMNS + 2, "",
            screen_quote(arena, text, screen->columns - 2 - CHANGE_COLUMNS - 2));
}

static void changes_print(struct screen *screen, const struct compare *compare,
                          enum compare_word word, const char *title)
{
    size_t count;
    const struct compare_row **rows = compare_rows_of(screen->arena, compare, word, &count);
    if (!count)
        return;
    fputc('\n', screen->stream);
    screen_paint(screen, word_paint(word), title);
    fprintf(screen->stream, " (%zu)\n", count);
    table_head(screen);
    for (size_t i = 0; i < count && i < CHANGES_MAX; i++)
        row_print(screen, compare, rows[i]);
    if (count > CHANGES_MAX)
        fprintf(screen->stream, "  … and %zu more\n", count - CHANGES_MAX);
}

static void cases_print(struct screen *screen, const struct compare *compare,
                        enum compare_word word, const char *title)
{
    size_t count;
    const struct compare_row **rows = compare_rows_of(screen->arena, compare, word, &count);
    if (!count)
        return;
    fputc('\n', screen->stream);
    screen_paint(screen, word_paint(word), title);
    fprintf(screen->stream, " (%zu)\n", count);
    for (size_t i = 0; i < count && i < OTHERS_MAX; i++) {
        const char *text =
            arena_printf(screen->arena, "%s%s%s", compare_row_case(screen->arena, compare, rows[i]),
                         rows[i]->text ? ": " : "", rows[i]->text ? rows[i]->text : "");
        fputs("  ", screen->stream);
        screen_wrap(screen, text, 2, 4);
    }
    if (count > OTHERS_MAX)
        fprintf(screen->stream, "  … and %zu more\n", count - OTHERS_MAX);
}

// "18 same · 2 slower": the words that occur.
static const char *counts_text(struct arena *arena, const size_t counts[COMPARE_WORD_COUNT],
                               bool reference)
{
    const char *text = "";
    for (unsigned word = 0; word < COMPARE_WORD_COUNT; word++) {
        bool news = !reference || (word != COMPARE_MISSING && word != COMPARE_ADDED);
        if (counts[word] && news)
            text = arena_printf(arena, "%s%s%zu %s", text, *text ? " · " : "", counts[word],
                                compare_word_name((enum compare_word)word));
    }
    return text;
}

static void parts_print(struct screen *screen, const struct compare_report *report)
{
    const struct compare *compare = report->compare;
    size_t width = 0;
    for (size_t i = 0; i < compare->part_count; i++) {
        size_t name = screen_width(screen_quote(screen->arena, compare->parts[i].benchmark, 24));
        width = name > width ? name : width;
    }
    fputc('\n', screen->stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("  ", screen->stream);
        screen_left(screen, screen_quote(screen->arena, part->benchmark, 24), width + 2);
        const char *text = counts_text(screen->arena, part->counts, report->reference);
        if (part->mean_count)
            text = arena_printf(screen->arena, "speed ×%.3f · %s", part->geometric_mean, text);
        screen_wrap(screen, text, width + 4, width + 4);
    }
}

void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream)
{
    const struct compare *compare = report->compare;
    struct screen screen;
    unsigned columns = desc->columns ? desc->columns : SCREEN_COLUMNS;
    screen_init(&screen, desc->colour, columns < COLUMNS_MIN ? COLUMNS_MIN : columns);
    head_print(&screen, report);
    changes_print(&screen, compare, COMPARE_SLOWER, "Slower");
    changes_print(&screen, compare, COMPARE_FASTER, "Faster");
    changes_print(&screen, compare, COMPARE_CLOCK, "Core clock changed: time and cycles disagree");
    changes_print(&screen, compare, COMPARE_OTHER, "Other values");
    changes_print(&screen, compare, COMPARE_UNSURE,
                  "Unsure: no interval, or one that crosses the threshold");
    cases_print(&screen, compare, COMPARE_BROKEN, "Broken: measured in base, failed now");
    cases_print(&screen, compare, COMPARE_REFUSED,
                "Refused: another version or method; see --across");
    if (!report->reference) {
        cases_print(&screen, compare, COMPARE_MISSING, "Missing in new");
        cases_print(&screen, compare, COMPARE_ADDED, "Only in new");
    }
    parts_print(&screen, report);
    fputc('\n', screen.stream);
    const char *counts = counts_text(screen.arena, compare->counts, report->reference);
    counts = arena_printf(screen.arena, "%s · threshold ±%.3g%%", counts, 100 * compare->threshold);
    screen_wrap(&screen, counts, 0, 0);
    screen_finish(&screen, stream);
}
