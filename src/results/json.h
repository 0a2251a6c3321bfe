// SPDX-License-Identifier: MIT
// A run as JSON, schema "fathom-run/1" (docs/run-schema.json). Within version 1 members are only
// added, and readers ignore members that they do not know. A number that is not finite is absent
// (null inside arrays of numbers); all finite numbers read back exactly. Each device, benchmark,
// result and finding has its own line, so that line numbers in messages and diffs are useful.
//
// Not written: parameters of role DISPLAY, views of kind LINES, and what a preset would choose
// (param_info.quick, …).
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include "results/results.h"

#include <stdio.h>

struct json_out;
struct json_table;

// Writes the run to the stream; run_write_gzipped gzips it. ERROR_IO if a write fails.
MUST_CHECK bool run_write(const struct run *run, FILE *stream, struct error *err);
MUST_CHECK bool run_write_gzipped(const struct run *run, FILE *stream, struct error *err);

// Writes the run as a member of a larger document; name NULL: as an element (results/codec.h).
void run_put(struct json_out *out, const char *name, const struct run *run);

// Write parts of a run as they stand in its file: a result; the arrays of devices and of findings.
void run_put_result(struct json_out *out, const char *name, const struct result *result);
void run_put_devices(struct json_out *out, const char *name, const struct run *run);
void run_put_findings(struct json_out *out, const char *name, const struct run *run);

// Writes the member "views" of a benchmark as it stands in a run file.
void run_put_views(struct json_out *out, const struct benchmark_info *info);

// Writes the values of a case as they stand in the run file. `result` is a struct result.
void run_put_case(struct json_out *out, const char *name, const void *result);

// A function that writes a run to a stream: run_write, or a function of report/export.h.
typedef bool run_writer(const struct run *run, FILE *stream, struct error *err);

// Writes the whole file, or leaves the former file unchanged (results/save.h). run_save writes it
// as run_write does, gzipped if the path ends in ".gz".
MUST_CHECK bool run_save_as(const struct run *run, run_writer *writer, const char *path,
                            struct error *err);
MUST_CHECK bool run_save(const struct run *run, const char *path, struct error *err);

// Reads a run; release it with run_destroy. Returns NULL with ERROR_IO if the file cannot be read.
// Returns NULL with ERROR_USAGE if it is not a run file, is cut short, has another schema or holds
// a value of the wrong type: the message names the line or the JSON path
// ("results[3].metrics[0].median"). "-" is the standard input. The file may be gzipped
// (json_read_file in results/codec.h).
struct run *run_read(const char *path, struct error *err);

// As run_read, but leaves the results out, which takes a fraction of the time.
struct run *run_read_head(const char *path, struct error *err);

// As run_read, but from memory; `name` is for messages.
struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err);

// The tables of the structs that both a result and a worker's visit contain, for the messages of
// workers.
extern const struct json_table reason_table, named_text_table, named_number_table, series_table,
    counter_table, kernel_table;

#endif
