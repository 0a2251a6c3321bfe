// SPDX-License-Identifier: MIT
// A run as tables for a terminal: every view of every benchmark, each value with its interval, and
// a note for each number that is suspect or missing. UTF-8, never wider than the screen.
#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "results/results.h"

#include <stdio.h>

struct console_desc {
    bool colour;      // the caller knows whether the stream is a terminal and NO_COLOR
    unsigned columns; // 0: SCREEN_COLUMNS (report/screen.h)
    double elapsed_s; // shown in the summary; 0: not known
};

// The whole run: head, tables by device and benchmark, one chip through several APIs, findings,
// summary.
void console_run(const struct run *run, const struct console_desc *desc, FILE *stream);

// The same in pieces, for tables that appear while the run goes on.
void console_head(const struct run *run, const struct console_desc *desc, FILE *stream);
void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream);
void console_end(const struct run *run, const struct console_desc *desc, FILE *stream);

// What `fathom map` found on each device: the levels as a picture and as a table, and what is
// unknown with the reasons. 100 columns, no colour.
void console_map(const struct run *run, FILE *stream);

#endif
