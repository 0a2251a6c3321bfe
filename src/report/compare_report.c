// SPDX-License-Identifier: MIT
#include "report/compare_report.h"
#include "base/text.h"
#include "report/screen.h"
#include "results/codec.h"

#include <math.h>
#include <string.h>

enum {
    CHANGES_MAX = 40, // most rows of a section with numbers, on a terminal
    OTHERS_MAX = 8,   // most rows of a section without numbers, on a terminal
    MARKDOWN_ROWS_MAX = 100,
    ROLE_COLUMNS = 11, // width of "reference  "
    NAME_COLUMNS = 24,
    VALUE_COLUMNS = 12,
    CHANGE_COLUMNS = 8,
    INTERVAL_COLUMNS = 17
};

// One section per word (kind of change), in the order of a report.
static const struct section {
    enum compare_word word;
    bool numbers; // true: its rows are metrics with both numbers; false: cases with a text
    enum screen_paint paint;
    const char *title;
} sections[] = {
    {COMPARE_SLOWER, true, PAINT_RED, "Slower"},
    {COMPARE_FASTER, true, PAINT_GREEN, "Faster"},
    {COMPARE_CARD, true, PAINT_DIM, "Another card: within what cards of one model differ by"},
    {COMPARE_CLOCK, true, PAINT_YELLOW, "Core clock changed: time and cycles disagree"},
    {COMPARE_OTHER, true, PAINT_YELLOW, "Other values"},
    {COMPARE_UNSURE, true, PAINT_DIM, "Unsure: no interval, or one that crosses the threshold"},
    {COMPARE_BROKEN, false, PAINT_RED, "Broken: measured in base, failed now"},
    {COMPARE_REFUSED, false, PAINT_YELLOW, "Refused: another version or method; see --across"},
    {COMPARE_MISSING, false, PAINT_DIM, "Missing in new"},
    {COMPARE_ADDED, false, PAINT_DIM, "Only in new"},
};

#define SECTION_COUNT (sizeof sections / sizeof *sections)

// ---------------------------------------------------------------- texts

// False for words that are not reported: "missing" and "added" against a reference run, which has
// other cases than the run that is compared with it.
static bool is_news(const struct compare_report *report, enum compare_word word)
{
    return !report->reference || (word != COMPARE_MISSING && word != COMPARE_ADDED);
}

// The change that a ratio means, such as "+5.1%"; "–" if it is not finite.
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
    return unit_text(arena, metric->median, metric_unit_shown(metric));
}

// The text of a row with numbers: "pair/bytes=1024 latency (98.1% of the limit) (suspect)".
static const char *metric_text(struct arena *arena, const struct compare *compare,
                               const struct compare_row *row)
{
    const char *text =
        text_join(arena, compare_row_case(arena, compare, row), " ", row->base_metric->name);
    if (row->word == COMPARE_CLOCK)
        text = arena_printf(arena, "%s (cycles %s)", text, percent(arena, row->cycles.value));
    double share = metric_share(row->now_metric, row->now_metric->median);
    if (isfinite(share))
        text = arena_printf(arena, "%s (%.1f%% of the limit)", text, 100 * share);
    return row->suspect ? text_join(arena, text, " ", "(suspect)") : text;
}

// The text of a row without numbers: "pair/bytes=3072: hop 3 is at 4".
static const char *whole_text(struct arena *arena, const struct compare *compare,
                              const struct compare_row *row)
{
    return text_join(arena, compare_row_case(arena, compare, row), ": ",
                     row->text ? row->text : "");
}

// The number of rows of each reported word that occurs: "18 same · 2 slower".
static const char *counts_text(struct arena *arena, const struct compare_report *report,
                               const size_t counts[COMPARE_WORD_COUNT])
{
    const char *text = "";
    for (enum compare_word word = 0; word < COMPARE_WORD_COUNT; word++)
        if (counts[word] && is_news(report, word))
            text = text_join(arena, text, " · ",
                             arena_printf(arena, "%zu %s", counts[word], compare_word_name(word)));
    return text;
}

// The file, device and start of a run: "run.json · vulkan:0 NVIDIA H200 · driver 570.1 ·
// 2026-01-02T03:04:05Z".
static const char *source_text(struct arena *arena, const char *file, const char *started,
                               const struct run_device *device)
{
    const char *text =
        arena_printf(arena, "%s · %s %s", file, device->id, device->name ? device->name : "");
    if (device->driver)
        text = arena_printf(arena, "%s · driver %s", text, device->driver);
    return text_join(arena, text, " · ", started ? started : "");
}

// What a reader must know of a pair of two cards of one model; NULL: the pair is none.
static const char *card_text(const struct device_pair *pair)
{
    return compare_other_card(pair) ? "another card of the same model: only what differs by more "
                                      "than such cards do counts as faster or slower"
                                    : NULL;
}

// ---------------------------------------------------------------- a terminal

static void source_print(struct screen *screen, const char *role, const char *text)
{
    screen_left(screen, role, ROLE_COLUMNS);
    fputs(screen_quote(screen->arena, text, screen->columns - ROLE_COLUMNS), screen->stream);
    fputc('\n', screen->stream);
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
    fputc(' ', screen->stream); // separates even values that are wider than their column
    screen_right(screen, value_text(arena, row->now_metric), VALUE_COLUMNS);
    fputs("  ", screen->stream);
    const char *text = metric_text(arena, compare, row);
    size_t used = 2 + CHANGE_COLUMNS + 2 + INTERVAL_COLUMNS + 2 * VALUE_COLUMNS + 3;
    size_t indent = 2 + CHANGE_COLUMNS + 2;
    // A key that is too long for the rest of the line gets a line of its own.
    if (used + screen_width(text) > screen->columns) {
        fprintf(screen->stream, "\n%*s", (int)indent, "");
        text = screen_quote(arena, text, screen->columns - indent);
    }
    fputs(text, screen->stream);
    fputc('\n', screen->stream);
}

static void section_print(struct screen *screen, const struct compare *compare,
                          const struct section *section)
{
    size_t count, most = section->numbers ? CHANGES_MAX : OTHERS_MAX;
    const struct compare_row **rows =
        compare_rows_of(screen->arena, compare, section->word, &count);
    if (!count)
        return;
    fputc('\n', screen->stream);
    screen_paint(screen, section->paint, section->title);
    fprintf(screen->stream, " (%zu)\n", count);
    if (section->numbers)
        fprintf(screen->stream, "  %*s  %-*s%*s%*s  case\n", CHANGE_COLUMNS, "change",
                INTERVAL_COLUMNS, "interval", VALUE_COLUMNS, "base", 1 + VALUE_COLUMNS, "new");
    for (size_t i = 0; i < count && i < most; i++) {
        if (section->numbers) {
            row_print(screen, compare, rows[i]);
            continue;
        }
        fputs("  ", screen->stream);
        screen_wrap(screen, whole_text(screen->arena, compare, rows[i]), 2, 4);
    }
    if (count > most)
        fprintf(screen->stream, "  … and %zu more\n", count - most);
}

static void parts_print(struct screen *screen, const struct compare_report *report)
{
    const struct compare *compare = report->compare;
    struct arena *arena = screen->arena;
    size_t width = 0;
    for (size_t i = 0; i < compare->part_count; i++)
        screen_widen(&width, screen_quote(arena, compare->parts[i].benchmark, NAME_COLUMNS));
    fputc('\n', screen->stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("  ", screen->stream);
        screen_left(screen, screen_quote(arena, part->benchmark, NAME_COLUMNS), width + 2);
        const char *text = counts_text(arena, report, part->counts);
        if (part->mean_count)
            text = arena_printf(arena, "speed ×%.3f · %s", part->geometric_mean, text);
        screen_wrap(screen, text, width + 4, width + 4);
    }
}

void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream)
{
    const struct compare *compare = report->compare;
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    struct arena *arena = screen.arena;
    for (size_t i = 0; i < compare->pairs.count; i++) {
        const struct device_pair *pair = &compare->pairs.list[i];
        source_print(&screen, report->reference ? "reference" : "base",
                     source_text(arena, report->base_name,
                                 screen_time(arena, compare->base->started), pair->base));
        source_print(&screen, report->reference ? "measured" : "new",
                     source_text(arena, report->now_name, screen_time(arena, compare->now->started),
                                 pair->now));
        if (card_text(pair))
            source_print(&screen, "", card_text(pair));
    }
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (is_news(report, sections[i].word))
            section_print(&screen, compare, &sections[i]);
    parts_print(&screen, report);
    fputc('\n', screen.stream);
    screen_wrap(&screen,
                arena_printf(arena, "%s · threshold ±%.3g%%",
                             counts_text(arena, report, compare->counts), 100 * compare->threshold),
                0, 0);
    screen_finish(&screen, stream);
}

// ---------------------------------------------------------------- Markdown

// Writes a text of a run file escaped: it must not become markup, a mention or a new table row.
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

// Writes the rows of all sections with numbers as one table of at most MARKDOWN_ROWS_MAX rows.
static void put_changes(FILE *stream, struct arena *arena, const struct compare *compare)
{
    size_t written = 0, left = 0;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        size_t count = 0;
        const struct compare_row **rows = NULL;
        if (sections[i].numbers)
            rows = compare_rows_of(arena, compare, sections[i].word, &count);
        for (size_t j = 0; j < count; j++) {
            if (written == MARKDOWN_ROWS_MAX) {
                left += count - j;
                break;
            }
            if (!written++)
                fputs("\n| | change | interval | base | new | case |\n"
                      "|:--|--:|:-:|--:|--:|:--|\n",
                      stream);
            const struct compare_row *row = rows[j];
            fprintf(stream, "| %s | %s | %s | %s | %s | ", compare_word_name(row->word),
                    percent(arena, row->ratio.value), interval_text(arena, &row->ratio),
                    value_text(arena, row->base_metric), value_text(arena, row->now_metric));
            put(stream, metric_text(arena, compare, row));
            fputs(" |\n", stream);
        }
    }
    if (left)
        fprintf(stream, "\n… and %zu more.\n", left);
}

static void put_cases(FILE *stream, struct arena *arena, const struct compare *compare,
                      enum compare_word word)
{
    size_t count;
    const struct compare_row **rows = compare_rows_of(arena, compare, word, &count);
    fputs(count ? "\n" : "", stream);
    for (size_t i = 0; i < count && i < MARKDOWN_ROWS_MAX; i++) {
        fprintf(stream, "- %s: ", compare_word_name(word));
        put(stream, whole_text(arena, compare, rows[i]));
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
    fprintf(stream, "**%s** (threshold ±%.3g%%)\n\n", counts_text(arena, report, compare->counts),
            100 * compare->threshold);
    for (size_t i = 0; i < compare->pairs.count; i++) {
        const struct device_pair *pair = &compare->pairs.list[i];
        put_source(stream, report->reference ? "reference" : "base",
                   source_text(arena, report->base_name, compare->base->started, pair->base));
        put_source(stream, report->reference ? "measured" : "new",
                   source_text(arena, report->now_name, compare->now->started, pair->now));
        if (card_text(pair))
            put_source(stream, "note", card_text(pair));
    }
    put_changes(stream, arena, compare);
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (!sections[i].numbers && is_news(report, sections[i].word))
            put_cases(stream, arena, compare, sections[i].word);
    fputs("\n| benchmark | speed | |\n|:--|--:|:--|\n", stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("| ", stream);
        put(stream, part->benchmark);
        fputs(" | ", stream);
        if (part->mean_count)
            fprintf(stream, "×%.3f", part->geometric_mean);
        fprintf(stream, " | %s |\n", counts_text(arena, report, part->counts));
    }
    arena_destroy(arena);
}

// ---------------------------------------------------------------- JSON

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
