// SPDX-License-Identifier: MIT
#include "report/compare_report.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_MAX = 100
};

// Text of a run file must not become markup, a mention or a new line of the table.
static void put(FILE *stream, const char *text)
{
    for (; text && *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7F)
            fputc(' ', stream);
        else if (c == '<')
            fputs("&lt;", stream);
        else if (c == '@')
            fputs("&#64;", stream);
        else
            fprintf(stream, "%s%c", strchr("\\|`*_[]#!>~&", c) ? "\\" : "", c);
    }
}

static void put_percent(FILE *stream, double ratio)
{
    if (isfinite(ratio))
        fprintf(stream, "%+.1f %%", (ratio - 1) * 100);
    else
        fputs("–", stream);
}

static void put_value(FILE *stream, const struct metric *metric)
{
    char text[64];
    fputs(unit_format(metric->median, metric->unit, text, sizeof text), stream);
}

static void put_row(FILE *stream, const struct compare *compare, const struct compare_row *row)
{
    fprintf(stream, "| %s | ", compare_word_name(row->word));
    put_percent(stream, row->ratio.value);
    fputs(" | ", stream);
    if (isfinite(row->ratio.low)) {
        put_percent(stream, row->ratio.low);
        fputs(" … ", stream);
        put_percent(stream, row->ratio.high);
    }
    fputs(" | ", stream);
    put_value(stream, row->base_metric);
    fputs(" | ", stream);
    put_value(stream, row->now_metric);
    fputs(" | ", stream);
    struct arena *arena = arena_create();
    put(stream, compare_row_case(arena, compare, row));
    arena_destroy(arena);
    fputc(' ', stream);
    put(stream, row->base_metric->name);
    if (row->word == COMPARE_CLOCK) {
        fputs(" (cycles ", stream);
        put_percent(stream, row->cycles.value);
        fputc(')', stream);
    }
    fputs(row->suspect ? " (suspect) |\n" : " |\n", stream);
}

static void put_changes(FILE *stream, const struct compare *compare)
{
    static const enum compare_word words[] = {COMPARE_SLOWER, COMPARE_FASTER, COMPARE_CLOCK,
                                              COMPARE_OTHER, COMPARE_UNSURE};
    struct arena *arena = arena_create();
    size_t written = 0, left = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t count;
        const struct compare_row **rows = compare_rows_of(arena, compare, words[i], &count);
        for (size_t j = 0; j < count; j++) {
            if (written == ROWS_MAX) {
                left++;
                continue;
            }
            if (!written++)
                fputs("\n| | change | interval | base | new | case |\n"
                      "|:--|--:|:-:|--:|--:|:--|\n",
                      stream);
            put_row(stream, compare, rows[j]);
        }
    }
    if (left)
        fprintf(stream, "\n… and %zu more.\n", left);
    arena_destroy(arena);
}

static void put_cases(FILE *stream, const struct compare *compare, enum compare_word word)
{
    size_t count;
    struct arena *arena = arena_create();
    const struct compare_row **rows = compare_rows_of(arena, compare, word, &count);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        if (i == 0)
            fputc('\n', stream);
        fprintf(stream, "- %s: ", compare_word_name(word));
        put(stream, compare_row_case(arena, compare, rows[i]));
        if (rows[i]->text) {
            fputs(": ", stream);
            put(stream, rows[i]->text);
        }
        fputc('\n', stream);
    }
    if (count > ROWS_MAX)
        fprintf(stream, "- … and %zu more\n", count - ROWS_MAX);
    arena_destroy(arena);
}

static void put_counts(FILE *stream, const size_t counts[COMPARE_WORD_COUNT])
{
    const char *between = "";
    for (unsigned word = 0; word < COMPARE_WORD_COUNT; word++) {
        if (!counts[word])
            continue;
        fprintf(stream, "%s%zu %s", between, counts[word],
                compare_word_name((enum compare_word)word));
        between = ", ";
    }
}

static void put_device(FILE *stream, const char *role, const char *name,
                       const struct run_device *device)
{
    fprintf(stream, "- %s: ", role);
    put(stream, name);
    fputs(", ", stream);
    put(stream, device->id);
    fputc(' ', stream);
    put(stream, device->name);
    if (device->driver) {
        fputs(", driver ", stream);
        put(stream, device->driver);
    }
    fputc('\n', stream);
}

void compare_markdown(const struct compare_report *report, FILE *stream)
{
    const struct compare *compare = report->compare;
    fputs("**", stream);
    put_counts(stream, compare->counts);
    fprintf(stream, "** (threshold ±%.3g %%)\n\n", 100 * compare->threshold);
    for (size_t i = 0; i < compare->pairs.count; i++) {
        put_device(stream, report->reference ? "reference" : "base", report->base_name,
                   compare->pairs.list[i].base);
        put_device(stream, "new", report->now_name, compare->pairs.list[i].now);
    }
    put_changes(stream, compare);
    put_cases(stream, compare, COMPARE_BROKEN);
    put_cases(stream, compare, COMPARE_REFUSED);
    if (!report->reference) {
        put_cases(stream, compare, COMPARE_MISSING);
        put_cases(stream, compare, COMPARE_ADDED);
    }
    fputs("\n| benchmark | speed | |\n|:--|--:|:--|\n", stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("| ", stream);
        put(stream, part->benchmark);
        fputs(" | ", stream);
        if (part->mean_count)
            fprintf(stream, "×%.3f", part->geometric_mean);
        fputs(" | ", stream);
        put_counts(stream, part->counts);
        fputs(" |\n", stream);
    }
}
