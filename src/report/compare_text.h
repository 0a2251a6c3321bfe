// SPDX-License-Identifier: MIT
// Texts that the comparison for a terminal and the exports share. All live in `arena`.
#ifndef REPORT_COMPARE_TEXT_H
#define REPORT_COMPARE_TEXT_H

#include "report/compare_report.h"
#include "report/screen.h"

// One section per word (kind of change) but "same", in the order of a report.
enum {
    COMPARE_SECTIONS = COMPARE_WORD_COUNT - 1
};
struct compare_section {
    enum compare_word word;
    bool numbers; // true: its rows are metrics with both numbers; false: cases with a text
    bool minor;   // true: no change that counts; a terminal lists its rows only with `all`
    enum screen_paint paint;
    const char *title;
};
extern const struct compare_section compare_sections[COMPARE_SECTIONS];

// False for words that are not reported: "missing" and "added" against a reference run, which has
// other cases than the run that is compared with it.
bool compare_is_reported(const struct compare_report *report, enum compare_word word);

// The numbers of a row as texts: the change ("+5.1%", from 10 on "×12.3", "–" if it is not finite),
// its interval ("+4.9% … +5.3%", "" if it is not known), base and new.
enum {
    COMPARE_NUMBERS = 4
};
void compare_numbers(struct arena *arena, const struct compare_row *row,
                     const char *numbers[COMPARE_NUMBERS]);

// What a row with numbers says beside them: "(cycles +0.1%) (98.1% of the limit) (suspect)".
const char *compare_remarks(struct arena *arena, const struct compare_row *row);

// The number of rows of each reported word: "72 faster · 0 slower · 469 same · 35 unsure". Words
// after "unsure" that do not occur are left out, and with `only_found` the others too.
const char *compare_counts(struct arena *arena, const struct compare_report *report,
                           const size_t counts[COMPARE_WORD_COUNT], bool only_found);

// The verdict and the exit status that follows from it: "6 of 582 values got slower by more than
// 2%, the largest change is +206%: exit status 1."
const char *compare_verdict(struct arena *arena, const struct compare *compare);

// "vulkan:0 NVIDIA H200 · driver 570.1".
const char *compare_device(struct arena *arena, const struct run_device *device);

// What a reader must know of a pair of two cards of one model; NULL: the pair is none.
const char *compare_card_note(const struct device_pair *pair);

#endif
