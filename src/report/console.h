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
    // Names of the benchmarks that console_run prints; count 0: all.
    const char *const *benchmarks;
    size_t benchmark_count;
};

// Prints the whole run: cards or, without any, the head; tables by device and benchmark, the
// comparison of APIs on one chip, findings, summary. If desc.benchmarks names benchmarks: only
// their tables, findings and cases, and no card.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// Print the parts of console_run one by one, for tables that appear while the run goes on.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints the last line of console_end alone: how many cases there are, by verdict.
void console_summary(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints the card: a line for each figure. One that is not trusted is grey and in parentheses, with
// the reason below it unless the run is still measuring. Prints nothing and returns false if the
// run has no figure of a GPU's card.
bool console_card(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints the card as a Markdown table.
void console_card_markdown(const struct card *card, FILE *stream);

// Prints for each benchmark how many cases it has, by verdict, its headlines that are not on the
// card, and why cases failed.
void console_headlines(const struct card *card, const struct console_desc *desc, FILE *stream);

// Prints what `fathom map` found on each device: the levels as a picture and as a table, and the
// unknown values with the reasons. The text has no colour and is laid out for 100 columns.
void console_map(const struct run *run, FILE *stream);

#endif
