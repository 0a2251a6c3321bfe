// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/compare_report.h"
#include "results/codec.h"

#include <math.h>
#include <string.h>

enum {
    MARKDOWN_ROWS_MAX = 100
};

// ---------------------------------------------------------------- the comparison as Markdown

// Writes a text from a run file, escaped so that it cannot act as markup, mention a user, or begin
// a new table row.
static void put(FILE *stream, const char *text)
{
    for (; *text; text++) {
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

static void put_change(FILE *stream, struct arena *arena, const struct compare *compare,
                       const struct compare_row *row)
{
    const char *numbers[COMPARE_NUMBERS];
    compare_numbers(arena, row, numbers);
    fprintf(stream, "| %s | ", compare_word_name(row->word));
    for (size_t i = 0; i < COMPARE_NUMBERS; i++)
        fprintf(stream, "%s | ", numbers[i]);
    const char *name =
        text_join(arena, compare_row_case(arena, compare, row), " ", row->base_metric->name);
    put(stream, text_join(arena, name, " ", compare_remarks(arena, row)));
    fputs(" |\n", stream);
}

// Writes one table with the rows of all sections that have numbers, at most MARKDOWN_ROWS_MAX.
static void put_changes(FILE *stream, struct arena *arena, const struct compare *compare)
{
    size_t rows_seen = 0;
    for (size_t i = 0; i < COMPARE_SECTIONS; i++) {
        size_t count = 0;
        const struct compare_row **rows = NULL;
        if (compare_sections[i].numbers)
            rows = compare_rows_of(arena, compare, compare_sections[i].word, &count);
        if (count && !rows_seen)
            fputs("\n| | change | interval | base | new | case |\n|:--|--:|:-:|--:|--:|:--|\n",
                  stream);
        for (size_t j = 0; j < count && rows_seen + j < MARKDOWN_ROWS_MAX; j++)
            put_change(stream, arena, compare, rows[j]);
        rows_seen += count;
    }
    if (rows_seen > MARKDOWN_ROWS_MAX)
        fprintf(stream, "\n… and %zu more.\n", rows_seen - MARKDOWN_ROWS_MAX);
}

static void put_cases(FILE *stream, struct arena *arena, const struct compare *compare,
                      enum compare_word word)
{
    size_t count;
    const struct compare_row **rows = compare_rows_of(arena, compare, word, &count);
    fputs(count ? "\n" : "", stream);
    for (size_t i = 0; i < count && i < MARKDOWN_ROWS_MAX; i++) {
        fprintf(stream, "- %s: ", compare_word_name(word));
        put(stream, text_join(arena, compare_row_case(arena, compare, rows[i]), ": ",
                              rows[i]->text ? rows[i]->text : ""));
        fputc('\n', stream);
    }
    if (count > MARKDOWN_ROWS_MAX)
        fprintf(stream, "- … and %zu more\n", count - MARKDOWN_ROWS_MAX);
}

static void put_source(FILE *stream, const char *role, const char *text)
{
    fprintf(stream, "- %s: ", role);
    put(stream, text);
    fputc('\n', stream);
}

void compare_markdown(const struct compare_report *report, FILE *stream)
{
    const struct compare *compare = report->compare;
    struct arena *arena = arena_create();
    fprintf(stream, "**%s** %s\n\n", compare_verdict(arena, compare),
            compare_counts(arena, report, compare->counts, false));
    const char *began = compare->base->started, *later = compare->now->started;
    const char *base = text_join(arena, report->base_name, " · ", began ? began : "");
    const char *now = text_join(arena, report->now_name, " · ", later ? later : "");
    for (size_t i = 0; i < compare->pairs.count; i++) {
        const struct device_pair *pair = &compare->pairs.list[i];
        put_source(stream, report->reference ? "reference" : "base",
                   text_join(arena, base, " · ", compare_device(arena, pair->base)));
        put_source(stream, report->reference ? "measured" : "new",
                   text_join(arena, now, " · ", compare_device(arena, pair->now)));
        if (compare_card_note(pair))
            put_source(stream, "note", compare_card_note(pair));
    }
    put_changes(stream, arena, compare);
    for (size_t i = 0; i < COMPARE_SECTIONS; i++)
        if (!compare_sections[i].numbers && compare_is_reported(report, compare_sections[i].word))
            put_cases(stream, arena, compare, compare_sections[i].word);
    fputs("\n| benchmark | speed | |\n|:--|--:|:--|\n", stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("| ", stream);
        put(stream, part->benchmark);
        fputs(" | ", stream);
        if (part->mean_count)
            fprintf(stream, "×%.3f", part->geometric_mean);
        fprintf(stream, " | %s |\n", compare_counts(arena, report, part->counts, true));
    }
    arena_destroy(arena);
}

// ---------------------------------------------------------------- the comparison as JSON

static void file_put(struct json_out *out, const char *name, const char *file,
                     const struct run *run)
{
    json_put_open(out, name, '{');
    json_put_text(out, "file", file);
    json_put_text(out, "started", run->started);
    json_put_text(out, "tool_version", run->tool_version);
    json_put_text(out, "preset", run->preset);
    json_put_open(out, "devices", '[');
    for (size_t i = 0; i < run->device_count; i++) {
        json_put_open(out, NULL, '{');
        json_put_text(out, "id", run->devices[i].id);
        json_put_text(out, "name", run->devices[i].name);
        json_put_text(out, "driver", run->devices[i].driver);
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
    json_put_close(out, '}');
}

static void counts_put(struct json_out *out, const size_t counts[COMPARE_WORD_COUNT])
{
    json_put_open(out, "counts", '{');
    for (unsigned word = 0; word < COMPARE_WORD_COUNT; word++)
        json_put_count(out, compare_word_name((enum compare_word)word), counts[word]);
    json_put_close(out, '}');
}

static void metric_put(struct json_out *out, const char *name, const struct metric *metric)
{
    json_put_open(out, name, '{');
    json_put_real(out, "median", metric->median);
    if (isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]))
        json_put_reals(out, "ci95", metric->ci95, 2);
    json_put_count(out, "n", metric->n);
    json_put_real(out, "share", metric_share(metric, metric->median));
    json_put_close(out, '}');
}

static void numbers_put(struct json_out *out, const struct compare_row *row)
{
    json_put_text(out, "metric", row->base_metric->name);
    json_put_text(out, "unit", unit_name(row->base_metric->unit));
    metric_put(out, "base", row->base_metric);
    if (!row->now_metric)
        return;
    metric_put(out, "new", row->now_metric);
    json_put_real(out, "ratio", row->ratio.value);
    if (isfinite(row->ratio.low))
        json_put_reals(out, "ratio_interval", (const double[]){row->ratio.low, row->ratio.high}, 2);
    json_put_real(out, "cycles_ratio", row->cycles.value);
}

static void row_put(struct json_out *out, const struct compare_row *row)
{
    const struct result *result = row->base ? row->base : row->now;
    json_put_open(out, NULL, '{');
    json_put_text(out, "word", compare_word_name(row->word));
    json_put_text(out, "key", result->key);
    json_put_text(out, "device", result->device);
    if (row->base_metric)
        numbers_put(out, row);
    if (row->suspect)
        json_put_bool(out, "suspect", true);
    json_put_text(out, "text", row->text);
    json_put_close(out, '}');
}

bool compare_json(const struct compare_report *report, FILE *stream, struct error *err)
{
    const struct compare *compare = report->compare;
    struct json_out out = {.arena = arena_create(), .stream = stream, .lines = true};
    json_put_open(&out, NULL, '{');
    json_put_text(&out, "schema", "fathom-compare/1");
    file_put(&out, "base", report->base_name, compare->base);
    file_put(&out, "new", report->now_name, compare->now);
    json_put_real(&out, "threshold", compare->threshold);
    json_put_bool(&out, "regressed", compare_regressed(compare));
    json_put_count(&out, "suspect_slower", compare->suspect_slower);
    size_t other_cards = 0;
    for (size_t i = 0; i < compare->pairs.count; i++)
        other_cards += compare_other_card(&compare->pairs.list[i]);
    json_put_count(&out, "other_cards", other_cards);
    counts_put(&out, compare->counts);
    json_put_open(&out, "benchmarks", '[');
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        json_put_open(&out, NULL, '{');
        json_put_text(&out, "benchmark", part->benchmark);
        json_put_real(&out, "speed", part->geometric_mean);
        counts_put(&out, part->counts);
        json_put_close(&out, '}');
    }
    json_put_close(&out, ']');
    json_put_open(&out, "rows", '[');
    for (size_t i = 0; i < compare->row_count; i++)
        row_put(&out, &compare->rows[i]);
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    bool written = json_out_end(&out, "the comparison", err);
    arena_destroy(out.arena);
    return written;
}
