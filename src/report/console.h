// SPDX-License-Identifier: MIT
// Prints a run as tables for a terminal: every view of every benchmark, values with their interval,
// and a note for each reason why numbers are suspect or missing. UTF-8, not wider than the screen.
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "analysis/card.h"

#include <stdio.h>

struct console_desc {
    bool colour;      // true: use colours; the caller tests for a terminal and NO_COLOR
    unsigned columns; // width of the screen; 0: SCREEN_COLUMNS (report/screen.h)
    double elapsed_s; // duration of the run, for the summary; 0: unknown, not shown
    // Names of the benchmarks that console_run prints; all benchmarks if the count is 0.
    const char *const *benchmarks;
    size_t benchmark_count;
};

// Prints the whole run: the cards or, if there are none, the head; tables by device and benchmark;
// the comparison of APIs on one chip; findings; summary. If desc.benchmarks names benchmarks,
// prints only their tables, findings and cases, and no card.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// Print the parts of console_run one by one, for tables that appear while the run goes on.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints only the last line of console_end: the number of cases by verdict.
void console_summary(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints the card with one line per figure. A figure that is not trusted is grey and in
// parentheses; the reason stands below it, unless the run is still measuring. If the card has no
// rows, prints nothing and returns false.
bool console_card(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints the card as a Markdown table.
void console_card_markdown(const struct card *card, FILE *stream);

// Prints for each benchmark the number of its cases by verdict, why cases failed, and its headlines
// that are not on the card.
void console_headlines(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints what `fathom map` found on each device: the levels as a picture and as a table, and the
// unknown values with the reasons. The text has no colour and is laid out for 100 columns.
void console_map(const struct run *run, FILE *stream);

#endif
