// SPDX-License-Identifier: MIT
// Prints what all tables share: notes, cells and scales. Also prints views of kind VIEW_LINES.
#include "report/tables.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum screen_paint verdict_paint(enum verdict verdict)
{
    static const enum screen_paint paints[] = {[VERDICT_OK] = PAINT_GREEN,
                                               [VERDICT_SUSPECT] = PAINT_YELLOW,
                                               [VERDICT_SKIPPED] = PAINT_DIM,
                                               [VERDICT_FAILED] = PAINT_RED};
    return paints[verdict];
}

// ---------------------------------------------------------------- notes below tables

static struct note *note_find(const struct notes *notes, enum verdict verdict, const char *code)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->list[i].verdict == verdict && strcmp(notes->list[i].code, code) == 0)
            return &notes->list[i];
    return NULL;
}

// True if an earlier reason of the result has the same code.
static bool is_repeated(const struct result *result, size_t reason)
{
    for (size_t i = 0; i < reason; i++)
        if (strcmp(result->reasons[i].code, result->reasons[reason].code) == 0)
            return true;
    return false;
}

static void note_add(struct notes *notes, const struct result *result, size_t index)
{
    const struct reason *reason = &result->reasons[index];
    struct note *note = note_find(notes, result->verdict, reason->code);
    if (note) {
        note->cases += !is_repeated(result, index);
        note->one_text = note->one_text && strcmp(note->text, reason->text) == 0;
        return;
    }
    notes->list =
        arena_grow(notes->arena, notes->list, notes->count, &notes->capacity, sizeof *notes->list);
    notes->list[notes->count++] =
        (struct note){result->verdict, reason->code, reason->text, .cases = 1, .one_text = true};
}

struct notes notes_of(struct arena *arena, const struct run *run, const char *device,
                      const char *benchmark)
{
    struct notes notes = {.arena = arena};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (strcmp(result->device, device) != 0 || strcmp(result->benchmark, benchmark) != 0)
            continue;
        for (size_t j = 0; j < result->reason_count; j++)
            note_add(&notes, result, j);
    }
    return notes;
}

static char letter_of(const struct notes *notes, const struct note *note)
{
    ptrdiff_t index = note - notes->list;
    return index < 26 ? (char)('a' + index) : '*';
}

// Returns the letters of the notes about a result, at most three, such as "ac"; "" without notes.
static const char *mark_of(const struct notes *notes, const struct result *result)
{
    char marks[4] = "";
    size_t count = 0;
    for (size_t i = 0; i < result->reason_count && count < 3; i++) {
        const struct note *note = note_find(notes, result->verdict, result->reasons[i].code);
        if (note && !is_repeated(result, i))
            marks[count++] = letter_of(notes, note);
    }
    return arena_strdup(notes->arena, marks);
}

void notes_print(const struct notes *notes, struct screen *screen)
{
    for (size_t i = 0; i < notes->count; i++) {
        const struct note *note = &notes->list[i];
        const char *head = arena_printf(notes->arena, "%zu %s case%s", note->cases,
                                        verdict_name(note->verdict), note->cases == 1 ? "" : "s");
        fprintf(screen->stream, "  %c: ", letter_of(notes, note));
        screen_paint(screen, verdict_paint(note->verdict), head);
        const char *text = arena_printf(notes->arena, "(%s)%s: %s", note->code,
                                        note->one_text ? "" : ", for example", note->text);
        fputc(' ', screen->stream);
        screen_wrap(screen, text, 6 + screen_width(head), 5);
    }
}

// ---------------------------------------------------------------- cells of a table

struct cell cell_of(const struct notes *notes, const struct result *result,
                    const struct metric *metric, const struct screen_scale *scale)
{
    if (!result)
        return (struct cell){.number = "", .margin = "", .mark = ""};
    struct cell cell = {.number = "–", .margin = "", .mark = mark_of(notes, result)};
    cell.paint = result->verdict == VERDICT_OK ? PAINT_NONE : verdict_paint(result->verdict);
    if (metric && isfinite(metric->median)) {
        cell.number = screen_number(notes->arena, metric->median, scale);
        if (metric->at_least)
            cell.number = arena_printf(notes->arena, "≥%s", cell.number);
        cell.margin = screen_margin(notes->arena, metric->median, metric->ci95);
    }
    return cell;
}

void cell_measure(struct cell_widths *widths, const struct cell *cell)
{
    screen_widen(&widths->number, cell->number);
    screen_widen(&widths->margin, cell->margin);
    screen_widen(&widths->mark, cell->mark);
}

size_t cell_columns(struct cell_widths *widths, const char *head)
{
    size_t columns = widths->number + (widths->margin ? 1 + widths->margin : 0) +
                     (widths->mark ? 1 + widths->mark : 0);
    size_t wanted = screen_width(head);
    if (wanted <= columns)
        return columns;
    widths->number += wanted - columns;
    return wanted;
}

void cell_print(struct screen *screen, const struct cell *cell, const struct cell_widths *widths)
{
    screen_paint_right(screen, cell->paint, cell->number, widths->number);
    if (widths->margin) {
        fputc(' ', screen->stream);
        screen_paint_left(screen, PAINT_DIM, cell->margin, widths->margin);
    }
    if (widths->mark) {
        fputc(' ', screen->stream);
        screen_paint_left(screen, cell->paint, cell->mark, widths->mark);
    }
}

void column_head_print(struct screen *screen, const struct column *column, const char *text)
{
    fprintf(screen->stream, "%*s", (int)column->gap, "");
    if (column->words)
        screen_left(screen, text, column->columns);
    else
        screen_right(screen, text, column->columns);
}

void column_cell_print(struct screen *screen, const struct column *column, size_t row)
{
    if (column->words) {
        column_head_print(screen, column, column->cells[row].number);
        return;
    }
    fprintf(screen->stream, "%*s", (int)column->gap, "");
    cell_print(screen, &column->cells[row], &column->widths);
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
    for (size_t i = 0; i < grid->panel_count; i++)
        for (size_t j = 0; j < grid->panels[i].series_count; j++) {
            const double *some = series_values(arena, grid, &grid->panels[i].series[j]);
            for (size_t k = 0; k < grid->x_count; k++)
                values[used++] = some[k];
        }
    return screen_scale_of(values, count, grid->unit);
}

// ---------------------------------------------------------------- views of kind VIEW_LINES

static const char *key_text(struct arena *arena, const struct result *result, const char *key)
{
    const struct case_value *value = key ? case_find(&result->bench_case, key) : NULL;
    return value ? case_value_shown(arena, value) : "";
}

// Returns a median as text: a time in ns, multiplied by `times`, as "0.377ms", a ratio as "3.908x".
static const char *number_text(struct arena *arena, const struct metric *metric, double times)
{
    if (!metric || !isfinite(metric->median))
        return "–";
    return metric->unit == UNIT_NS ? arena_printf(arena, "%.3fms", metric->median * times / 1e6)
                                   : arena_printf(arena, "%.3fx", metric->median);
}

static void lines_print(struct screen *screen, const struct view_info *view,
                        const struct result *const *results, size_t count)
{
    struct arena *arena = screen->arena;
    double times = view->scale ? strtod(view->scale, NULL) : 1;
    fprintf(screen->stream, "\n%s\n", view->title);
    for (size_t i = 0; i < count; i++) {
        const struct result *result = results[i];
        fprintf(screen->stream, "%s %s:", key_text(arena, result, view->y),
                key_text(arena, result, view->x));
        if (!result_measured(result))
            fprintf(screen->stream, " %s", verdict_name(result->verdict));
        for (const char *names = view->metric; result_measured(result) && *names;) {
            size_t length = strcspn(names, ",");
            const char *name = arena_printf(arena, "%.*s", (int)length, names);
            fprintf(screen->stream, " %s", number_text(arena, result_metric(result, name), times));
            names += length + (names[length] == ',');
        }
        fputc('\n', screen->stream);
    }
}

bool lines_instead_print(struct screen *screen, const struct run *run, const char *device,
                         const struct benchmark_info *info)
{
    for (size_t i = 0; i < info->view_count; i++) {
        size_t count = 0;
        const struct result **results = NULL;
        if (info->views[i].kind == VIEW_LINES)
            results = view_select(screen->arena, run, device, &info->views[i], info, &count);
        if (count) {
            lines_print(screen, &info->views[i], results, count);
            return true;
        }
    }
    return false;
}
