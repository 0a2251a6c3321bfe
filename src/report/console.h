// SPDX-License-Identifier: MIT
// Prints a run as tables for a terminal: every view of every benchmark, each value with its
// interval, and a note for each reason why numbers are suspect or missing. The text is UTF-8 and
// not wider than the screen.
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "analysis/card.h"

#include <stdio.h>

struct console_desc {
    bool colour; // true: use colours; the caller tests for a terminal and NO_COLOR
    // Width of the screen in columns; 0 means SCREEN_COLUMNS (report/screen.h).
    unsigned columns;
    // Duration of the run in seconds, for the summary. If it is 0, the summary does not show it.
    double elapsed_s;
    // Names of the benchmarks that console_run prints. If benchmark_count is 0, it prints all
    // benchmarks.
    const char *const *benchmarks;
    size_t benchmark_count;
};

// Prints the whole run: the card of each device, the tables, the comparison of APIs on one chip,
// the findings, and the number of cases by verdict. If desc->benchmarks names benchmarks, prints no
// card, and only what concerns these benchmarks or the whole run. If there is no card, prints
// fathom's version, the preset, the time and the devices first.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// Each of the next three functions prints a part of what console_run prints. Callers use them to
// print tables while fathom still measures.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints only the last line of console_end: the number of cases by verdict.
void console_summary(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints the card of a device with one line per figure. Untrusted figures are grey and in
// parentheses. Once the run has ended, their reasons follow: below each figure or, if all of them
// share one reason, in the card's note. If the card has no rows, prints nothing and returns false.
bool console_card(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints the card of a device in Markdown: a head, a table of the figures, and the notes.
void console_card_markdown(const struct card *card, FILE *stream);

// Prints a short summary of each benchmark with results on the card's device: its cases by verdict,
// why cases failed, and its headlines that are not on the card. If no case was measured, says why
// cases were skipped. A benchmark with a view of kind VIEW_LINES gets this view instead of
// headlines.
void console_headlines(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints one line per device of a check: id, name, verdict, cause, remarks. A device without
// expected values cannot be judged; its figures follow in the next line.
void check_console(const struct run *run, FILE *stream);

// Prints what `fathom map` found on each device: a picture and a table of the levels, and the
// values that are not known, with the reasons. The text has no colour, and its layout is for 100
// columns.
void console_map(const struct run *run, FILE *stream);

#endif
