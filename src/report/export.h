// SPDX-License-Identifier: MIT
// Writes runs in other forms than the run file: CSV, SVG with charts and time lines, traces of time
// lines, and an HTML page.
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "results/results.h"

#include <stdio.h>

// csv_write, svg_write and trace_write fail with ERROR_IO if writing to the stream fails. They can
// be passed to run_save_as (results/json.h), which writes a file.

// The version of the CSV, which is the last column of every row. It is increased if a column is
// renamed, moved, removed, or gets another meaning. New columns are inserted before the last one.
#define CSV_SCHEMA "fathom-csv/2"

// Writes CSV with one row for each metric of each case. The columns are those of docs/DATA.md, the
// same for every run: all parameters of a case are one JSON object, and all sensors are another.
// Fields are quoted as in RFC 4180. Lines end with LF. The decimal sign is a point. Numbers read
// back exactly. A missing number is an empty field. A case without metrics (skipped, failed) has
// one row in which the fields of the metric are empty. The report page writes the same CSV
// (web/src/csv.ts).
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// Writes one field of CSV, with quotation marks if they are needed.
void csv_field(const char *text, FILE *stream);

// Writes one self-contained SVG without a script. For each device it has the card and the levels of
// memory (report/picture.h) and the charts of all benchmarks (report/chart.h). It also has a
// drawing of each result with a time line, with one row per lane. Arrows lead from a span to the
// spans that waited for it. The drawing also has a scale, the number of spans at the same time, and
// the spans on each core. A span has its length and start as a tool-tip. The colours suit light and
// dark pages.
MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// Writes the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read
// (tests/web/perfetto.test.mjs opens one in Perfetto 20.1). Results follow one another in time.
// Each device has several processes. One process has the names of the cases. Each queue has a
// process, with one track per name of a lane, and with arrows from a span to the spans that waited
// for it. The cores have one process, with tracks for the spans on each core, and with a counter of
// the spans that ran at once.
MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// True if this program contains the HTML page (web/). It lacks the page if it was built without
// npm. Sets *reason to a text that says why there is no page, or to "" if there is one.
bool html_available(const char **reason);

// Writes one HTML page with everything in the runs except the medians of single rounds. For each
// device the page has a summary in text and drawings (report/picture.h). The runs are in the page
// as packed JSON (zlib's format in base64), from which its script draws the charts. The page loads
// nothing from elsewhere, and no text of a run can act as markup or code. Fails with
// ERROR_UNSUPPORTED if this program has no page, or with ERROR_IO if writing to the stream fails.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the page of html_write to a file. If writing fails, an existing file stays unchanged
// (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

// Returns a content security policy for the live page, in `arena`. It lets the page connect to
// `address` (such as "ws://127.0.0.1:8080"), a web socket of the server that serves the page.
const char *html_live_policy(struct arena *arena, const char *address);

// Writes the live page of `fathom serve`. It differs from the page of html_write in four points.
// Its content security policy is `policy`. In place of the runs, it has `data` (JSON without "</").
// It has the live page's script. It has no summaries of devices.
MUST_CHECK bool html_write_live(const char *data, const char *policy, FILE *stream,
                                struct error *err);

#endif
