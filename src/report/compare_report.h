// SPDX-License-Identifier: MIT
// Prints the comparison of two runs: as tables for a terminal, as Markdown for an issue or a merge
// request, and as JSON for programs.
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include "analysis/compare.h"
#include "report/console.h"
#include "report/screen.h"

struct compare_report {
    const struct compare *compare;
    const char *base_name, *now_name; // file names of the two runs
    // true if base is a reference run: cases that only one run has are then not reported
    bool reference;
    // True (--all): a terminal also shows minor sections, and all rows of long sections.
    bool all;
};

// Prints the comparison for a terminal. Begins with the verdict, the exit status, the counts and
// the two runs. Then come the rows by kind of change, one line per benchmark, and what only --all
// lists. A row with numbers is part of a group, and names only the parameters that differ there.
void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream);

// Writes the comparison as GitHub's Markdown. It has a summary line, the runs with their devices, a
// table of the rows with numbers, a list of the rows without (compare_section.numbers), and a table
// of the benchmarks. Long tables and lists are cut. Texts from run files are escaped.
void compare_markdown(const struct compare_report *report, FILE *stream);

// Writes the comparison as JSON in this form: {"schema":"fathom-compare/1", "base":{…}, "new":{…},
// "threshold", "regressed", "suspect_slower", "other_cards", "counts":{word: n}, "benchmarks":[…],
// "rows":[{"word","key","device","metric","unit","base","new","ratio","ratio_interval":[lo,hi],
// "cycles_ratio","suspect","text"}]}.
// suspect_slower is compare.suspect_slower. other_cards is the number of devices that are compared
// with another card of their model. Later versions only add members. Fails with ERROR_IO if writing
// to the stream fails.
MUST_CHECK bool compare_json(const struct compare_report *report, FILE *stream, struct error *err);

// ---------------------------------------------------------------- texts of all three forms
//
// They live in `arena` or are constants.

// The sections of a report, in the order in which they are printed. There is one section for each
// word (kind of change) except "same".
enum {
    COMPARE_SECTIONS = COMPARE_WORD_COUNT - 1
};
struct compare_section {
    enum compare_word word;
    // True: each row is shown with its metric's numbers in both runs. False: with its case and
    // compare_row.text.
    bool numbers;
    // True: a terminal lists the section's rows only with --all. They show no certain change.
    bool minor;
    enum screen_paint paint;
    const char *title;
};
extern const struct compare_section compare_sections[COMPARE_SECTIONS];

// Returns false if rows with this word (kind of change) are not reported. If base is a reference
// run, "missing" and "added" are not reported, because the two runs may have different cases.
bool compare_is_reported(const struct compare_report *report, enum compare_word word);

// Writes the numbers of a row as four texts: the change, its interval, the value in base, and the
// value in new.
// - change: "+5.1%"; "×12.3" if new is at least ten times base; "–" if it is not finite
// - interval: "+4.9% … +5.3%"; "" if it is not known
enum {
    COMPARE_NUMBERS = 4
};
void compare_numbers(struct arena *arena, const struct compare_row *row,
                     const char *numbers[COMPARE_NUMBERS]);

// Returns the remarks beside the numbers of a row: "(cycles +0.1%) (98.1% of the limit) (suspect)".
const char *compare_remarks(struct arena *arena, const struct compare_row *row);

// Returns the number of rows for each reported word (kind of change), such as "72 faster · 0 slower
// · 469 same · 35 unsure". These four words appear even without rows, unless `only_found` is true.
// Other words without rows are left out.
const char *compare_counts(struct arena *arena, const struct compare_report *report,
                           const size_t counts[COMPARE_WORD_COUNT], bool only_found);

// Returns the verdict and the exit status as a sentence: "6 of 582 values got slower by more than
// 2%, the largest change is +206%; 2 of them are suspect and count only with --strict: exit
// status 1."
const char *compare_verdict(struct arena *arena, const struct compare *compare);

// Returns the id, name and driver of a device as text: "vulkan:0 NVIDIA H200 · driver 570.1".
const char *compare_device(struct arena *arena, const struct run_device *device);

// Returns a note that explains the word "card-to-card" if the pair consists of two different cards
// of one model; else NULL.
const char *compare_card_note(const struct device_pair *pair);

#endif
