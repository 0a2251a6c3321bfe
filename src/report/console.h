// SPDX-License-Identifier: MIT
// Prints a run as tables for a terminal: every view of every benchmark, values with their interval,
// and a note for each reason why numbers are suspect or missing. UTF-8, not wider than the screen.
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "results/results.h"

#include <stdio.h>

struct console_desc {
    bool colour;      // true: use colours; the caller tests for a terminal and NO_COLOR
    unsigned columns; // width of the screen; 0: SCREEN_COLUMNS (report/screen.h)
    double elapsed_s; // duration of the run, for the summary; 0: unknown, not shown
    // Names of the benchmarks whose tables console_run prints; count 0: of all
    const char *const *benchmarks;
    size_t benchmark_count;
};

// Prints the whole run: head, tables by device and benchmark, the comparison of APIs on one chip,
// findings, summary.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// Print the parts of console_run one by one, for tables that appear while the run goes on.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// Prints what `fathom map` found on each device: the levels as a picture and as a table, and the
// unknown values with the reasons. The text has no colour and is laid out for 100 columns.
void console_map(const struct run *run, FILE *stream);

#endif
