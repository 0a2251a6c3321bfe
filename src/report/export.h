// SPDX-License-Identifier: MIT
// Writes runs in forms other than the run file: CSV, charts and time lines as SVG, time lines as a
// trace, HTML page.
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "results/results.h"

#include <stdio.h>

// csv_write, svg_write and trace_write fail with ERROR_IO if writing to the stream fails;
// run_save_as (results/json.h) calls one of them to write a file.

// The version of the CSV, which stands in its last column. It rises if a column is renamed, moved
// or removed, or changes its meaning; new columns come before the last one.
#define CSV_SCHEMA "fathom-csv/2"

// Writes CSV with one row per metric and the columns of docs/DATA.md, the same for every run: the
// parameters of a case are one JSON object, and so are its sensors. Fields are quoted as in RFC
// 4180, lines end with LF, the decimal sign is a point, numbers read back exactly, an absent number
// is an empty field. A case without a metric (skipped, failed) has one row with empty metric
// fields. The report page writes the same (web/src/csv.ts).
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// Writes one field of CSV, quoted if it must be.
void csv_field(const char *text, FILE *stream);

// Writes one self-contained SVG without a script. It shows the charts of all benchmarks
// (report/chart.h), then for each result with a time line: one row per lane, with
// arrows from a span to the spans that waited for it; a scale; how many spans ran at once; the
// spans on each core. Titles are tool-tips; colours suit light and dark pages.
MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// Writes the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read
// (tests/web/perfetto.test.mjs opens one in Perfetto 20.1). Results follow one another in time.
// Each device has a process with the names of the cases, one per queue, with one track per name of
// a lane and arrows from a span to the spans that waited for it, and one for the cores, with tracks
// for the spans on each core and a counter of how many spans ran at once.
MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// True if this program contains the HTML page (web/). The build puts it in; a build without npm has
// none. Sets *reason to a text that says why there is none, "" if there is one.
bool html_available(const char **reason);

// Writes one page with all runs, complete except for the medians of single rounds. What each device
// is like stands in it as text and drawings (report/picture.h). The runs are packed JSON (zlib's
// format in base64), from which a script in the page draws the charts; the page loads nothing from
// elsewhere, and no text of a run can become markup or code.
// ERROR_UNSUPPORTED if this program has no page, ERROR_IO if writing to the stream fails.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the page of html_write to a file. On failure the former file stays (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

// The content security policy of the page, in `arena`, with leave to connect to `address` (such as
// "ws://127.0.0.1:8080"), a web socket of the server that serves the page.
const char *html_live_policy(struct arena *arena, const char *address);

// Writes the page of html_write for such a server: with `data`, JSON without "</", in place of
// runs. Nothing else is different.
MUST_CHECK bool html_write_live(const char *data, const char *policy, FILE *stream,
                                struct error *err);

#endif
