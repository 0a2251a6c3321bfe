// SPDX-License-Identifier: MIT
#include "report/notes.h"

#include <string.h>

static struct note *note_find(const struct notes *notes, enum verdict verdict, const char *code)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->list[i].verdict == verdict && strcmp(notes->list[i].code, code) == 0)
            return &notes->list[i];
    return NULL;
}

static void note_add(struct notes *notes, const struct result *result, const struct reason *reason)
{
    struct note *note = note_find(notes, result->verdict, reason->code);
    if (note) {
        note->cases++;
        note->one_text = note->one_text && strcmp(note->text, reason->text) == 0;
        return;
    }
    notes->list =
        arena_grow(notes->arena, notes->list, notes->count, &notes->capacity, sizeof *notes->list);
    notes->list[notes->count++] = (struct note){.verdict = result->verdict,
                                                .code = reason->code,
                                                .text = reason->text,
                                                .cases = 1,
                                                .one_text = true};
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
            note_add(&notes, result, &result->reasons[j]);
    }
    return notes;
}

static char letter_of(const struct notes *notes, const struct note *note)
{
    ptrdiff_t index = note - notes->list;
    return index < 26 ? (char)('a' + index) : '*';
}

const char *notes_mark(const struct notes *notes, const struct result *result)
{
    char marks[4] = "";
    size_t count = 0;
    for (size_t i = 0; i < result->reason_count && count < 3; i++) {
        const struct note *note = note_find(notes, result->verdict, result->reasons[i].code);
        if (note)
            marks[count++] = letter_of(notes, note);
    }
    return arena_strdup(notes->arena, marks);
}

enum screen_paint verdict_paint(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_OK:
        return PAINT_GREEN;
    case VERDICT_SUSPECT:
        return PAINT_YELLOW;
    case VERDICT_FAILED:
        return PAINT_RED;
    case VERDICT_SKIPPED:
        break;
    }
    return PAINT_DIM;
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
