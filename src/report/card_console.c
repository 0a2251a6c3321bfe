// SPDX-License-Identifier: MIT
// Prints the card of a device, and the headlines that are not on it.
#include "analysis/card.h"
#include "base/text.h"
#include "report/console.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- cells of a figure

enum figure_column {
    COLUMN_LABEL,
    COLUMN_VALUE,
    COLUMN_MARGIN,
    COLUMN_CYCLES,
    COLUMN_SHARE,
    COLUMN_CLOCK,
    COLUMN_REFERENCE,
    COLUMN_COUNT
};

struct line {
    const char *cells[COLUMN_COUNT];
    const struct card_figure *figure;
};

struct lines {
    struct screen *screen;
    struct line *list;
    size_t count, capacity;
    size_t widths[COLUMN_COUNT];
    enum figure_column columns; // number of columns of the table that fit the screen
};

// Returns the value as text, in parentheses if it is not trusted (some readers see no colours).
static const char *value_text(struct arena *arena, const struct card_figure *figure)
{
    const char *text = unit_text(arena, figure->value, figure->unit);
    if (figure->at_least)
        text = arena_printf(arena, "≥ %s", text);
    return card_figure_trusted(figure) ? text : arena_printf(arena, "(%s)", text);
}

static const char *finite_text(struct arena *arena, double value, enum unit unit)
{
    return isfinite(value) ? unit_text(arena, value, unit) : "";
}

static void line_add(struct lines *lines, const struct card_figure *figure)
{
    struct arena *arena = lines->screen->arena;
    struct line line = {.figure = figure};
    line.cells[COLUMN_LABEL] =
        screen_quote(arena, figure->title, screen_part(lines->screen, 32, 2));
    line.cells[COLUMN_VALUE] = value_text(arena, figure);
    line.cells[COLUMN_MARGIN] = screen_margin(arena, figure->value, figure->ci95);
    line.cells[COLUMN_CYCLES] = finite_text(arena, figure->cycles, UNIT_CYCLE);
    line.cells[COLUMN_SHARE] =
        isfinite(figure->share) ? arena_printf(arena, "%.0f %%", 100 * figure->share) : "";
    line.cells[COLUMN_CLOCK] =
        isfinite(figure->core_clock_hz) ? screen_short(arena, figure->core_clock_hz, UNIT_HZ) : "";
    line.cells[COLUMN_REFERENCE] = finite_text(arena, figure->reference, figure->unit);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        screen_widen(&lines->widths[i], line.cells[i]);
    lines->list =
        arena_grow(arena, lines->list, lines->count, &lines->capacity, sizeof *lines->list);
    lines->list[lines->count++] = line;
}

// ---------------------------------------------------------------- the table of figures

// Chooses as many columns as fit the screen, but at least the labels and the values.
static void lines_fit(struct lines *lines)
{
    size_t used = 0;
    for (lines->columns = 0; lines->columns < COLUMN_COUNT; lines->columns++) {
        size_t width = lines->widths[lines->columns];
        used += width ? width + 2 : 0;
        if (used > lines->screen->columns && lines->columns > COLUMN_VALUE)
            return;
    }
}

static void line_print(const struct lines *lines, const char *const *cells, enum screen_paint paint)
{
    struct screen *screen = lines->screen;
    for (enum figure_column i = 0; i < lines->columns; i++) {
        if (!lines->widths[i])
            continue;
        fputs(i == COLUMN_MARGIN ? " " : "  ", screen->stream);
        enum screen_paint own = i == COLUMN_MARGIN || i == COLUMN_REFERENCE ? PAINT_DIM : paint;
        if (i == COLUMN_LABEL || i == COLUMN_MARGIN)
            screen_paint_left(screen, own, cells[i], lines->widths[i]);
        else
            screen_paint_right(screen, own, cells[i], lines->widths[i]);
    }
    fputc('\n', screen->stream);
}

// Prints why a figure's verdict is not ok. Successive figures with the same reason print it once.
static void reason_print(const struct lines *lines, size_t at)
{
    const struct card_figure *figure = lines->list[at].figure;
    const char *below = at + 1 < lines->count ? lines->list[at + 1].figure->reason : NULL;
    if (!figure->reason || (below && strcmp(below, figure->reason) == 0))
        return;
    struct screen *screen = lines->screen;
    const char *head = arena_printf(screen->arena, "      %s: ", verdict_name(figure->verdict));
    screen_paint(screen, verdict_paint(figure->verdict), head);
    screen_wrap(screen, figure->reason, screen_width(head), 6);
}

// Returns the head of the reference's column, cut so that the column fits the screen. It is never
// narrower than the column's values.
static const char *reference_head(const struct lines *lines, const char *reference)
{
    size_t used = 0, own = lines->widths[COLUMN_REFERENCE];
    for (enum figure_column i = 0; i < COLUMN_REFERENCE; i++)
        used += lines->widths[i] ? lines->widths[i] + 2 : 0;
    size_t left = lines->screen->columns > used + 2 ? lines->screen->columns - used - 2 : 0;
    return screen_quote(lines->screen->arena, reference, left > own ? left : own);
}

static void lines_print_all(struct lines *lines, const char *reference, bool reasons)
{
    const char *heads[COLUMN_COUNT] = {"", "", "", "", "of limit", "clock", ""};
    bool any_head = lines->widths[COLUMN_SHARE] || lines->widths[COLUMN_CLOCK] ||
                    lines->widths[COLUMN_REFERENCE];
    for (enum figure_column i = 0; i < COLUMN_REFERENCE; i++)
        if (lines->widths[i])
            screen_widen(&lines->widths[i], heads[i]);
    if (lines->widths[COLUMN_REFERENCE]) {
        heads[COLUMN_REFERENCE] = reference_head(lines, reference);
        screen_widen(&lines->widths[COLUMN_REFERENCE], heads[COLUMN_REFERENCE]);
    }
    lines_fit(lines);
    if (any_head)
        line_print(lines, heads, PAINT_DIM);
    for (size_t i = 0; i < lines->count; i++) {
        bool trusted = card_figure_trusted(lines->list[i].figure);
        line_print(lines, lines->list[i].cells, trusted ? PAINT_NONE : PAINT_DIM);
        if (reasons)
            reason_print(lines, i);
    }
}

// ---------------------------------------------------------------- the card

// Prints a line of the card's head, cut to the screen: `title` in bold, then `rest` in grey.
static void head_line(struct screen *screen, const char *title, const char *rest)
{
    title = screen_quote(screen->arena, title, screen->columns);
    screen_paint(screen, PAINT_BOLD, title);
    screen_paint(screen, PAINT_DIM,
                 screen_quote(screen->arena, rest, screen->columns - screen_width(title)));
    fputc('\n', screen->stream);
}

// Prints a warning, cut to the width of the screen. Prints nothing if `warning` is NULL.
static void warning_line(struct screen *screen, const char *warning)
{
    if (!warning)
        return;
    screen_paint(screen, PAINT_YELLOW, screen_quote(screen->arena, warning, screen->columns));
    fputc('\n', screen->stream);
}

static void card_head(struct screen *screen, const struct card *card)
{
    struct arena *arena = screen->arena;
    const struct run_device *device = card->device;
    const struct run *run = card->run;
    const char *name = device->name ? device->name : device->id;
    const char *rest = arena_printf(arena, " · %s", device->id);
    const char *how = arena_printf(arena, "fathom %s", run->tool_version ? run->tool_version : "");
    rest = screen_also(arena, rest, "API ", device->api_version);
    rest = screen_also(arena, rest, "driver ", device->driver);
    how = screen_also(arena, how, "preset ", run->preset);
    how = screen_also(arena, how, "", screen_time(arena, run->started));
    warning_line(screen, card->warning);
    head_line(screen, name, rest);
    head_line(screen, "", arena_printf(arena, "%s · medians ± half the 95 %% interval", how));
    if (run->status == RUN_INTERRUPTED)
        warning_line(screen, card_state(card));
}

static void card_rows_print(struct screen *screen, const struct card *card)
{
    bool final = card->run->status != RUN_RUNNING;
    struct lines lines = {.screen = screen};
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++)
            if (card->rows[i].figures[k].verdict != VERDICT_SKIPPED)
                line_add(&lines, &card->rows[i].figures[k]);
    const char *reference = "";
    if (card->reference)
        reference = card->same_model ? "reference" : card->reference->device;
    // If all untrusted figures share one reason, it is printed once, as the card's note.
    lines_print_all(&lines, reference, final && !card->shared_reason);
    for (size_t i = 0; final && i < card->note_count; i++)
        screen_point(screen, card->notes[i]);
}

bool console_card(const struct card *card, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    if (card->count > 0) {
        card_head(&screen, card);
        card_rows_print(&screen, card);
    }
    screen_finish(&screen, stream);
    return card->count > 0;
}

// ---------------------------------------------------------------- the card as Markdown

// Makes a text from a run file safe for Markdown: replaces control characters, bytes that are not
// UTF-8 and "|<>", and cuts the text to COLUMNS_MAX columns.
static const char *markdown_text(struct arena *arena, const char *text)
{
    enum {
        COLUMNS_MAX = 400
    };
    char *plain = arena_strdup(arena, text ? screen_quote(arena, text, COLUMNS_MAX) : "");
    for (char *at = plain; (at = strpbrk(at, "|<>")) != NULL;)
        *at = '/';
    return plain;
}

static void put_markdown_row(FILE *stream, struct arena *arena, const struct card_figure *figure)
{
    struct screen screen = {.arena = arena, .columns = SCREEN_COLUMNS};
    struct lines lines = {.screen = &screen};
    line_add(&lines, figure);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        fprintf(stream, "| %s ", markdown_text(arena, lines.list[0].cells[i]));
    fprintf(stream, "| %s |\n", markdown_text(arena, figure->reason));
}

void console_card_markdown(const struct card *card, FILE *stream)
{
    struct arena *arena = arena_create();
    const struct run *run = card->run;
    const char *head = card->device->id;
    const char *const parts[] = {card->device->driver, run->tool_version, run->preset,
                                 run->started};
    const char *const names[] = {"driver ", "fathom ", "preset ", ""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            head = arena_printf(arena, "%s, %s%s", head, names[i], parts[i]);
    fprintf(stream, "### %s\n\n", markdown_text(arena, card->device->name));
    if (card->warning)
        fprintf(stream, "%s.\n\n", markdown_text(arena, card->warning));
    fprintf(stream, "%s\n\n", markdown_text(arena, head));
    if (run->status == RUN_INTERRUPTED)
        fprintf(stream, "%s\n\n", card_state(card));
    fprintf(stream,
            "| figure | value | ± | cycles | of limit | core clock | %s | not trusted |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
            !card->reference || card->same_model ? "reference" : card->reference->device);
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++)
            if (card->rows[i].figures[k].verdict != VERDICT_SKIPPED)
                put_markdown_row(stream, arena, &card->rows[i].figures[k]);
    fputc('\n', stream);
    for (size_t i = 0; i < card->note_count; i++)
        fprintf(stream, "- %s\n", markdown_text(arena, card->notes[i]));
    arena_destroy(arena);
}

// ---------------------------------------------------------------- headlines not on the card

// Prints why cases failed and, if no case of the benchmark was measured, why cases were skipped.
static void print_causes(struct screen *screen, const struct notes *notes,
                         const struct run_counts *counts)
{
    for (size_t i = 0; i < notes->count; i++) {
        const struct note *note = &notes->list[i];
        if (note->verdict != VERDICT_FAILED &&
            (counts->measured || note->verdict != VERDICT_SKIPPED))
            continue;
        const char *head =
            arena_printf(screen->arena, "  %zu %s", note->cases, verdict_name(note->verdict));
        screen_paint(screen, verdict_paint(note->verdict), head);
        fputs(": ", screen->stream);
        screen_wrap(screen, note->text, screen_width(head) + 2, 4);
    }
}

static void print_headlines(struct screen *screen, const struct card *card,
                            const struct benchmark_info *info)
{
    const struct run *run = card->run;
    const char *device = card->device->id;
    struct lines lines = {.screen = screen};
    const struct run_counts counts = run_count(run, device, info->name);
    if (!counts.all)
        return;
    const char *on = run->device_count > 1 ? arena_printf(screen->arena, " · %s",
                                                          screen_quote(screen->arena, device, 24))
                                           : "";
    fputc('\n', screen->stream);
    screen_paint(
        screen, PAINT_BOLD,
        arena_printf(screen->arena, "%s%s", screen_quote(screen->arena, info->name, 32), on));
    fprintf(screen->stream, "  %s\n", screen_counts(screen->arena, &counts));
    const struct notes notes = notes_of(screen->arena, run, device, info->name);
    print_causes(screen, &notes, &counts);
    if (lines_instead_print(screen, run, device, info))
        return;
    for (size_t i = 0; i < card->further_count; i++)
        if (strcmp(card->further[i].benchmark, info->name) == 0)
            line_add(&lines, &card->further[i]);
    lines_print_all(&lines, "", true);
}

void console_headlines(const struct card *card, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    for (size_t b = 0; b < card->run->benchmark_count; b++)
        print_headlines(&screen, card, card->run->benchmarks[b]);
    screen_finish(&screen, stream);
}
