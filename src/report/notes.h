// SPDX-License-Identifier: MIT
// Footnotes: a letter for each reason why results of a benchmark are doubted or missing.
#ifndef REPORT_NOTES_H
#define REPORT_NOTES_H

#include "report/screen.h"
#include "results/results.h"

struct note {
    enum verdict verdict;
    const char *code, *text; // text: of the first result that has it
    size_t cases;
    bool one_text; // all its results give the same text
};

struct notes {
    struct arena *arena;
    struct note *list;
    size_t count, capacity;
};

// The reasons of all results of a benchmark on a device.
struct notes notes_of(struct arena *arena, const struct run *run, const char *device,
                      const char *benchmark);

// The letters of a result: "", "a", "ac"; at most three.
const char *notes_mark(const struct notes *notes, const struct result *result);

// Prints one reason a line: "a: 3 suspect cases (correlated), for example: the value drifted …".
void notes_print(const struct notes *notes, struct screen *screen);

enum screen_paint verdict_paint(enum verdict verdict);

#endif
