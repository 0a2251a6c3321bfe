// SPDX-License-Identifier: MIT
// Prints a run for a terminal: the card of each device, the views of each benchmark as tables, and
// a note for each reason of a result. Also prints checks and maps. The text is UTF-8.
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "analysis/card.h"

#include <stdio.h>

struct console_desc {
    bool colour; // true: use colours; the caller tests for a terminal and NO_COLOR
    // Width of the screen in columns, as screen_init (report/screen.h) takes it.
    unsigned columns;
    // Duration of the run in seconds, for the summary. If it is 0, the summary does not show it.
    double elapsed_s;
    // Names of the benchmarks that console_run prints. If benchmark_count is 0, it prints all
    // benchmarks.
    const char *const *benchmarks;
    size_t benchmark_count;
};

// Prints the whole run: the card of each device, the tables, the comparison of APIs on one chip,
// the findings, and the number of cases by verdict. If desc->benchmarks names benchmarks, prints
// only their results, findings about them, and findings without keys. If it prints no card, it
// begins with fathom's version, the preset, the time and the devices.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// Each of the next three functions prints a part of what console_run prints. So `fathom run
// --tables` can print the tables of a benchmark while it measures the next one.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints only the last line of console_end, which begins with the number of cases by verdict.
void console_summary(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints the card of a device with one line per figure, except skipped figures. Untrusted figures
// are grey and in parentheses. Once the run has ended, their reasons follow: below the figures or,
// if there are several and all share one reason, in the card's note. If the card has no rows,
// prints nothing and returns false.
bool console_card(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints the card of a device in Markdown: a head, a table of the figures, and the notes.
void console_card_markdown(const struct card *card, FILE *stream);

// Prints a short summary of each benchmark with results on the card's device: its cases by verdict,
// why cases failed (or, if none was measured, were skipped), and its figures that are in no row of
// the card (card.further). Instead of figures, prints the benchmark's view of kind VIEW_LINES if
// that has results.
void console_headlines(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints one line per check of the run: id and name of the device, verdict, cause, remarks. If the
// code of the check is CHECK_NO_EXPECTATION, its figures follow in the next line.
void check_console(const struct run *run, FILE *stream);

// Prints what `fathom map` found on each device: a picture and a table of the levels, and the
// values that are not known, with the reasons. The text has no colour, and its layout is for 100
// columns.
void console_map(const struct run *run, FILE *stream);

#endif
