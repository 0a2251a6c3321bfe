// SPDX-License-Identifier: MIT
// Writes runs in other forms than the run file: CSV, SVG with charts and time lines, traces of time
// lines, metrics of a check, and an HTML page.
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "results/results.h"

#include <stdio.h>

// csv_write, svg_write and trace_write fail with ERROR_IO if writing to the stream fails. They can
// be passed to run_save_as (results/json.h), which writes a file.

// Ends an export or any other output: writes what the stream still buffers. Fails with ERROR_IO and
// the text "cannot write WHAT: …" if this or an earlier write to the stream failed.
MUST_CHECK bool export_end(FILE *stream, const char *what, struct error *err);

// The version of the CSV, the last column of every row. It is increased if a column is renamed,
// moved, removed, or gets another meaning. New columns are inserted before the last one.
#define CSV_SCHEMA "fathom-csv/2"

// Writes CSV with one row for each metric of each case, in the columns of docs/DATA.md: all
// parameters of a case are one JSON object, and all sensors are another. A case without metrics
// (skipped, failed) has one row. A missing number is an empty field. Fields are quoted as in RFC
// 4180, lines end with LF, and numbers are exact, with a point before decimals. The report page
// writes the same CSV (web/src/csv.ts).
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// Writes one field of CSV, with quotation marks if they are needed.
void csv_field(const char *text, FILE *stream);

// Writes one self-contained SVG without a script, for light and dark pages. For each device it has
// the card, the levels of memory (report/picture.h) and the charts of all benchmarks
// (report/chart.h). Then come the results with a time line (report/spans.h): one row per lane,
// arrows from each span to those that waited for it, and a scale. If a result has a crowd, its
// spans at the same time and on each core follow.
MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// Writes a trace: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read
// (tests/web/perfetto.test.mjs opens one in Perfetto 20.1). Results follow one another in time. A
// "process" of the trace is a group of tracks. Each device has these processes:
// - one with the keys of the cases
// - one per queue, with a track per name of a lane; arrows lead from a span to the spans that
//   waited for it
// - one for the cores, with tracks for the spans on each core, and a counter of spans at the same
//   time
MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// Writes the results of a check as metrics in the text format of Prometheus (exposition format
// 0.0.4), in base units. `now_s` is the end of the check. `success_s` is the end of the latest
// check that found every device healthy; 0 if no check did. Both are in seconds since 1970.
void check_prometheus(const struct run *run, double now_s, double success_s, FILE *stream);

// True if this program contains the HTML page (web/). It lacks the page if, for example, npm was
// not found when it was built. Sets *reason to a text that says why there is no page, or to "" if
// there is one.
bool html_available(const char **reason);

// Writes one HTML page with everything in the runs except the medians of single rounds. The page
// has a summary of each device (report/picture.h), and a script that draws charts from the runs,
// packed JSON (zlib's format in base64). The page loads nothing from elsewhere, and no text of a
// run can act as markup or code. Fails with ERROR_UNSUPPORTED if this program has no page, with
// ERROR_INTERNAL if its page or zlib does not fit this program, or with ERROR_IO if writing fails.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the page of html_write to a file. If writing fails, an existing file stays unchanged
// (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

// Returns a content security policy for the live page, in `arena`. It lets the page connect to
// `address` (such as "ws://127.0.0.1:8080"), a web socket of the server that serves the page.
const char *html_live_policy(struct arena *arena, const char *address);

// Writes the live page of `fathom serve`. It differs from the page of html_write:
// - its content security policy is `policy`
// - it has `data` (JSON without "</") in place of the runs
// - it has the script of the live page
// - it has no summaries of devices
MUST_CHECK bool html_write_live(const char *data, const char *policy, FILE *stream,
                                struct error *err);

#endif
