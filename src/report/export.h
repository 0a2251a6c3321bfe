// SPDX-License-Identifier: MIT
// A run in other forms than the run file: CSV, time lines as SVG and as a trace, and the HTML page.
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "results/results.h"

#include <stdio.h>

// The first three fail with ERROR_IO where the stream refuses; run_save_as (results/json.h) writes
// such a form to a file.

// Tidy CSV: one metric a row, one column for each parameter of any benchmark (empty where a case
// has none). Fields are quoted as in RFC 4180, lines end with LF, numbers have a decimal point and
// every bit, an absent number is an empty field. R and pandas read it as it is. A case without a
// number (skipped, failed) has one row with empty metric fields.
//
// Columns: device, device_name, benchmark, version, key, one for each parameter, verdict, reasons
// (codes, divided by spaces), metric, unit, better, median, ci95_low, ci95_high, n, limit,
// of_limit, preset, started, tool_version. Columns may be added behind these.
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// One self-contained SVG without a script: for each result a row a lane with arrows from a span to
// those that waited for it, how many spans there were at once, what ran on each core, and a scale.
// Titles are tool-tips; colours suit light and dark pages.
MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// The JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read (tests/web/perfetto.test.mjs
// opens one in Perfetto 20.1): for each result one process a queue, with a track a lane and arrows
// from a span to those that waited for it; one process for the cores, with tracks for what ran on
// each; a counter of how many spans there were at once. All results begin at 1 us.
MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// True if the HTML page (web/) is in this program: it is put there when the program is built, and a
// build without npm has none. Otherwise *reason says why, for people.
bool html_available(const char **reason);

// All runs on one page, their devices side by side, complete but for the medians of single rounds.
// The runs are packed JSON (zlib's format in base64), drawn by a script in the page; nothing is
// loaded from elsewhere, and no text of a run can become markup or code. ERROR_UNSUPPORTED where
// the page is not in this program, ERROR_IO where the stream refuses.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the file whole or leaves the former one (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

#endif
