// SPDX-License-Identifier: MIT
#include "report/compare_report.h"
#include "base/text.h"
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Limits for a section on a terminal without --all: at most SECTION_GROUPS groups of rows
    // divide SECTION_ROWS rows equally, but each may print GROUP_ROWS rows.
    SECTION_ROWS = 40,
    GROUP_ROWS = 3,
    SECTION_GROUPS = 40,
    PAIRS_MAX = 16,    // maximum number of pairs of compared devices that the report lists
    ROLE_COLUMNS = 11, // width of the column with labels such as "reference"
    NAME_COLUMNS = 24
};

// ---------------------------------------------------------------- names of cases

struct printer {
    struct screen screen;
    const struct compare_report *report;
    // axes_set() sets the next four members for the benchmark whose rows are printed. The array
    // `axes` has its parameters of role AXIS that vary among all its rows.
    const char *benchmark;
    const struct benchmark_info *info; // description of the benchmark; NULL if neither run has one
    const struct param_info **axes;
    size_t axis_count;
    bool explained; // true if the meaning of the columns of numbers was already printed
};

static const struct result *row_result(const struct compare_row *row)
{
    return row->base ? row->base : row->now;
}

// Sets the members of the printer that belong to a benchmark (`benchmark` to `axis_count`).
static void axes_set(struct printer *p, const char *benchmark)
{
    const struct compare *compare = p->report->compare;
    struct arena *arena = p->screen.arena;
    if (p->benchmark && strcmp(p->benchmark, benchmark) == 0)
        return;
    p->benchmark = benchmark;
    p->info = run_benchmark(compare->base, benchmark);
    p->info = p->info ? p->info : run_benchmark(compare->now, benchmark);
    p->axis_count = 0;
    const struct result **results = ARENA_ARRAY(arena, compare->row_count, const struct result *);
    size_t count = 0;
    for (size_t i = 0; i < compare->row_count; i++)
        if (strcmp(row_result(&compare->rows[i])->benchmark, benchmark) == 0)
            results[count++] = row_result(&compare->rows[i]);
    if (p->info)
        p->axes = view_varying(arena, p->info, results, count, &p->axis_count);
}

// Returns the benchmark's name, after the device's id if a run has several: "vulkan:0 latency".
static const char *benchmark_text(struct printer *p, const struct result *result)
{
    const struct compare *compare = p->report->compare;
    bool several = compare->base->device_count > 1 || compare->now->device_count > 1;
    return several ? text_join(p->screen.arena, result->device, " ", result->benchmark)
                   : result->benchmark;
}

// Returns benchmark and parameter values of the result's case: "latency vector random 2.5 KiB".
static const char *row_words(struct printer *p, const struct result *result)
{
    axes_set(p, result->benchmark);
    return text_join(p->screen.arena, benchmark_text(p, result), " ",
                     view_words(p->screen.arena, &result->bench_case, p->axes, p->axis_count, ""));
}

// ---------------------------------------------------------------- sections of rows

struct place {
    const struct compare_row *row;
    // rank of the row in its section; the row with the largest change has rank 0
    size_t rank;
};

// Rows of one section of the report that have the same benchmark, device, metric and text.
struct group {
    const struct place *places; // rows of the group, the largest change first
    size_t count;
};

static int compare_kinds(const struct compare_row *a, const struct compare_row *b)
{
    const struct result *one = row_result(a), *other = row_result(b);
    int order = strcmp(one->benchmark, other->benchmark);
    order = order ? order : strcmp(one->device, other->device);
    order = order ? order
                  : strcmp(a->base_metric ? a->base_metric->name : "",
                           b->base_metric ? b->base_metric->name : "");
    return order ? order : strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_kinds(a->row, b->row);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_groups(const void *left, const void *right)
{
    size_t a = ((const struct group *)left)->places->rank;
    size_t b = ((const struct group *)right)->places->rank;
    return (a > b) - (a < b);
}

// Divides the rows of a section into groups, that with the largest change first; returns how many.
static size_t groups_of(struct arena *arena, const struct compare_row *const *rows, size_t count,
                        struct group *groups)
{
    struct place *places = ARENA_ARRAY(arena, count, struct place);
    size_t group_count = 0;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){rows[i], i};
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_kinds(places[i - 1].row, places[i].row) != 0)
            groups[group_count++].places = &places[i];
        groups[group_count - 1].count++;
    }
    qsort(groups, group_count, sizeof *groups, compare_groups);
    return group_count;
}

// Prints the head of a group: benchmark, metric, and the parameter values that its rows share but
// other rows lack, such as "latency · path=constant, chain=index". `varying` lists all others.
static void group_head(struct printer *p, const struct group *group,
                       const struct param_info *const *varying, size_t varying_count)
{
    struct arena *arena = p->screen.arena;
    const struct result *first = row_result(group->places->row);
    const char *metric = group->places->row->base_metric->name, *common = "";
    for (size_t i = 0; i < p->axis_count; i++) {
        const struct case_value *value = case_find(&first->bench_case, p->axes[i]->key);
        for (size_t k = 0; k < varying_count; k++)
            if (varying[k] == p->axes[i])
                value = NULL;
        if (value)
            common = text_join(arena, common, ", ",
                               arena_printf(arena, "%s=%s", p->axes[i]->key,
                                            view_value_text(arena, value, p->axes[i])));
    }
    const char *text = benchmark_text(p, first);
    if (strcmp(metric, first->benchmark) != 0)
        text = text_join(arena, text, " ", metric);
    fputs("  ", p->screen.stream);
    screen_wrap(&p->screen, text_join(arena, text, " · ", common), 2, 4);
}

// The texts of a printed row: its numbers, and its case with remarks.
struct change {
    const char *numbers[COMPARE_NUMBERS], *text;
};

static void change_print(struct screen *screen, const struct change *change,
                         const size_t widths[COMPARE_NUMBERS])
{
    enum {
        TEXT_INDENT = 8
    };
    size_t used = 2;
    fputs("  ", screen->stream);
    for (size_t c = 0; c < COMPARE_NUMBERS; c++) {
        fputs("  ", screen->stream);
        screen_paint_right(screen, c == 1 ? PAINT_DIM : PAINT_NONE, change->numbers[c], widths[c]);
        used += 2 + widths[c];
    }
    // If the text of the case does not fit behind the numbers, it gets separate lines.
    bool beside = used + 2 + screen_width(change->text) <= screen->columns;
    fprintf(screen->stream, beside ? "%*s" : "\n%*s", beside ? 2 : TEXT_INDENT, "");
    screen_wrap(screen, change->text, TEXT_INDENT, TEXT_INDENT);
}

// Prints the head of a group, and below it at most `most` rows with their numbers.
static void changes_print(struct printer *p, const struct group *group, size_t most)
{
    struct arena *arena = p->screen.arena;
    const struct result **results = ARENA_ARRAY(arena, group->count, const struct result *);
    struct change *changes = ARENA_ARRAY(arena, group->count, struct change);
    size_t widths[COMPARE_NUMBERS] = {0}, varying_count = 0;
    size_t shown = group->count < most ? group->count : most;
    for (size_t i = 0; i < group->count; i++)
        results[i] = row_result(group->places[i].row);
    axes_set(p, results[0]->benchmark);
    const struct param_info **varying =
        p->info ? view_varying(arena, p->info, results, group->count, &varying_count) : NULL;
    for (size_t i = 0; i < shown; i++) {
        const struct compare_row *row = group->places[i].row;
        compare_numbers(arena, row, changes[i].numbers);
        changes[i].text =
            text_join(arena, view_words(arena, &results[i]->bench_case, varying, varying_count, ""),
                      " ", compare_remarks(arena, row));
        for (size_t c = 0; c < COMPARE_NUMBERS; c++)
            screen_widen(&widths[c], changes[i].numbers[c]);
    }
    group_head(p, group, varying, varying_count);
    for (size_t i = 0; i < shown; i++)
        change_print(&p->screen, &changes[i], widths);
    if (shown < group->count)
        fprintf(p->screen.stream, "    … and %zu more: --all lists them\n", group->count - shown);
}

// Prints a group of rows without numbers, such as "loads Buffer<R8>.Load: loads version 2 against
// 3". Without --all, several rows become one line: "138 × loads: …".
static void texts_print(struct printer *p, const struct group *group)
{
    struct arena *arena = p->screen.arena;
    bool one_line = group->count > 1 && !p->report->all;
    for (size_t i = 0; i < (one_line ? 1 : group->count); i++) {
        const struct compare_row *row = group->places[i].row;
        const char *name = one_line ? arena_printf(arena, "%zu × %s", group->count,
                                                   benchmark_text(p, row_result(row)))
                                    : row_words(p, row_result(row));
        fputs("  ", p->screen.stream);
        screen_wrap(&p->screen, text_join(arena, name, ": ", row->text ? row->text : ""), 2, 4);
    }
}

static void section_print(struct printer *p, const struct compare_section *section)
{
    struct screen *screen = &p->screen;
    size_t count;
    const struct compare_row **rows =
        compare_rows_of(screen->arena, p->report->compare, section->word, &count);
    if (!count || (section->minor && !p->report->all))
        return;
    fputc('\n', screen->stream);
    screen_paint(screen, section->paint, section->title);
    fprintf(screen->stream, " (%zu)\n", count);
    if (section->numbers && !p->explained)
        screen_paint(screen, PAINT_DIM,
                     "  change, its interval, base, new, parameters that vary\n");
    p->explained = p->explained || section->numbers;
    struct group *groups = ARENA_ARRAY(screen->arena, count, struct group);
    size_t group_count = groups_of(screen->arena, rows, count, groups), most = GROUP_ROWS, left = 0;
    if (p->report->all)
        most = count;
    else if (group_count && SECTION_ROWS / group_count > GROUP_ROWS)
        most = SECTION_ROWS / group_count;
    for (size_t i = 0; i < group_count; i++) {
        if (i >= SECTION_GROUPS && !p->report->all)
            left += groups[i].count;
        else if (section->numbers)
            changes_print(p, &groups[i], most);
        else
            texts_print(p, &groups[i]);
    }
    if (left)
        fprintf(screen->stream, "  … and %zu more: --all lists them\n", left);
}

// ---------------------------------------------------------------- the comparison on a terminal

static void source_print(struct screen *screen, const char *role, const char *text)
{
    screen_left(screen, role, ROLE_COLUMNS);
    screen_wrap(screen, text, ROLE_COLUMNS, ROLE_COLUMNS);
}

// Prints the names of the two files and of the devices that are compared.
static void sources_print(struct screen *screen, const struct compare_report *report)
{
    struct arena *arena = screen->arena;
    const struct compare *compare = report->compare;
    const struct device_pairs *pairs = &compare->pairs;
    const char *base =
        text_join(arena, report->base_name, " · ", screen_time(arena, compare->base->started));
    const char *now =
        text_join(arena, report->now_name, " · ", screen_time(arena, compare->now->started));
    bool one = pairs->count == 1;
    source_print(screen, report->reference ? "reference" : "base",
                 one ? text_join(arena, base, " · ", compare_device(arena, pairs->list[0].base))
                     : base);
    source_print(screen, report->reference ? "measured" : "new",
                 one ? text_join(arena, now, " · ", compare_device(arena, pairs->list[0].now))
                     : now);
    for (size_t i = 0; i < pairs->count && i < PAIRS_MAX; i++) {
        const struct device_pair *pair = &pairs->list[i];
        if (!one)
            source_print(screen, "devices",
                         arena_printf(arena, "%s → %s", compare_device(arena, pair->base),
                                      compare_device(arena, pair->now)));
        if (compare_card_note(pair))
            source_print(screen, "", compare_card_note(pair));
    }
    if (pairs->count > PAIRS_MAX)
        source_print(screen, "", arena_printf(arena, "… and %zu more", pairs->count - PAIRS_MAX));
}

static void parts_print(struct screen *screen, const struct compare_report *report)
{
    const struct compare *compare = report->compare;
    struct arena *arena = screen->arena;
    size_t width = 0;
    for (size_t i = 0; i < compare->part_count; i++)
        screen_widen(&width, screen_quote(arena, compare->parts[i].benchmark, NAME_COLUMNS));
    fputs("\nBy benchmark (speed: geometric mean, above 1 is faster)\n", screen->stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        fputs("  ", screen->stream);
        screen_left(screen, screen_quote(arena, part->benchmark, NAME_COLUMNS), width + 2);
        const char *text = compare_counts(arena, report, part->counts, true);
        if (part->mean_count)
            text = arena_printf(arena, "speed ×%.3f · %s", part->geometric_mean, text);
        screen_wrap(screen, text, width + 4, width + 4);
    }
}

// Prints how many rows are listed only with --all: "--all also lists: 35 unsure · 9 added".
static void hidden_print(struct screen *screen, const struct compare_report *report)
{
    size_t counts[COMPARE_WORD_COUNT] = {0};
    for (size_t i = 0; i < COMPARE_SECTIONS && !report->all; i++)
        if (compare_sections[i].minor)
            counts[compare_sections[i].word] = report->compare->counts[compare_sections[i].word];
    const char *text = compare_counts(screen->arena, report, counts, true);
    if (!*text)
        return;
    fputc('\n', screen->stream);
    screen_wrap(screen, text_join(screen->arena, "--all also lists", ": ", text), 0, 0);
}

void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream)
{
    const struct compare *compare = report->compare;
    struct printer printer = {.report = report};
    struct screen *screen = &printer.screen;
    screen_init(screen, desc->colour, desc->columns);
    screen_wrap(screen, compare_verdict(screen->arena, compare), 0, 0);
    screen_wrap(screen, compare_counts(screen->arena, report, compare->counts, false), 0, 0);
    fputc('\n', screen->stream);
    sources_print(screen, report);
    for (size_t i = 0; i < COMPARE_SECTIONS; i++)
        if (compare_is_reported(report, compare_sections[i].word))
            section_print(&printer, &compare_sections[i]);
    parts_print(screen, report);
    hidden_print(screen, report);
    screen_finish(screen, stream);
}
