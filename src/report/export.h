// SPDX-License-Identifier: MIT
// Writes runs in forms other than the run file: CSV, charts and time lines as SVG, time lines as a
// trace, and an HTML page.
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "results/results.h"

#include <stdio.h>

// csv_write, svg_write and trace_write fail with ERROR_IO if writing to the stream fails.
// run_save_as (results/json.h) takes one of them to write a file.

// The version of the CSV, which every row has in its last column. It rises if a column is renamed,
// moved or removed, or changes its meaning. New columns are inserted before the last one.
#define CSV_SCHEMA "fathom-csv/2"

// Writes CSV with one row per metric. The columns are those of docs/DATA.md, the same for every
// run: the parameters of a case are one JSON object, and so are its sensors. Fields are quoted as
// in RFC 4180, lines end with LF, the decimal sign is a point, numbers read back exactly, and an
// absent number is an empty field. A case without a metric (skipped, failed) has one row with empty
// metric fields. The report page writes the same CSV (web/src/csv.ts).
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// Writes one field of CSV, in quotation marks if it needs them.
void csv_field(const char *text, FILE *stream);

// Writes one self-contained SVG without a script. It shows for each device its card and levels of
// memory (report/picture.h) and the charts of all benchmarks (report/chart.h), then for each result
// with a time line: one row per lane, with arrows from a span to the spans that waited for it; a
// scale; the number of spans that ran at once; the spans on each core. Titles are tool-tips;
// colours suit light and dark pages.
MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// Writes the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read
// (tests/web/perfetto.test.mjs opens one in Perfetto 20.1). Results follow one another in time.
// Each device has several processes: one with the names of the cases; one per queue, with one track
// per name of a lane and arrows from a span to the spans that waited for it; and one for the cores,
// with tracks for the spans on each core and a counter of the spans that ran at once.
MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// True if this program contains the HTML page (web/). A build without npm has no page. Sets *reason
// to a text that says why there is no page; "" if there is one.
bool html_available(const char **reason);

// Writes one HTML page with all runs. Only the medians of single rounds are left out. For each
// device the page has a summary in text and drawings (report/picture.h). The runs are packed JSON
// (zlib's format in base64), from which a script in the page draws the charts. The page loads
// nothing from elsewhere, and no text of a run can become markup or code. Fails with
// ERROR_UNSUPPORTED if this program has no page, or with ERROR_IO if writing to the stream fails.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the page of html_write to a file. If that fails, an existing file is unchanged
// (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

// Returns a content security policy for the page, in `arena`, that allows it to connect to
// `address` (such as "ws://127.0.0.1:8080"), a web socket of the server that serves the page.
const char *html_live_policy(struct arena *arena, const char *address);

// Writes the page of html_write for such a server: with `policy`, with `data` (JSON without "</")
// in place of the runs, without the summaries of devices, and with the script of the live page.
MUST_CHECK bool html_write_live(const char *data, const char *policy, FILE *stream,
                                struct error *err);

#endif
