// SPDX-License-Identifier: MIT
// A run as JSON, schema "fathom-run/1" (docs/run-schema.json). Within version 1, members are only
// added, and readers ignore members that they do not know. Numbers read back exactly, except whole
// ones above 2^63; one that is not finite is left out (null in arrays). Each device, benchmark,
// result and finding has its own line, so that line numbers in messages and in diffs are useful.
//
// A run file lacks parameters of role DISPLAY, views of kind LINES, and the values of presets
// (param_info.quick, …). It also lacks the members that results.h marks as not in run files.
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include "results/results.h"

#include <stdio.h>

struct json_out;
struct json_table;

// Writes the run to the stream; run_write_gzipped also compresses it with gzip. Both functions fail
// with ERROR_IO if a write fails.
MUST_CHECK bool run_write(const struct run *run, FILE *stream, struct error *err);
MUST_CHECK bool run_write_gzipped(const struct run *run, FILE *stream, struct error *err);

// Writes the run into a larger document (results/codec.h), as its member `name`. If `name` is NULL,
// the run is an element of an array, or the whole document.
void run_put(struct json_out *out, const char *name, const struct run *run);

// Writes the case of a result as a JSON object, as run files have it. `result` is a struct result.
void run_put_case(struct json_out *out, const char *name, const void *result);

// The type of functions that write a run to a stream: run_write and those of report/export.h.
typedef bool run_writer(const struct run *run, FILE *stream, struct error *err);

// run_save writes a run file, gzipped if the path ends with ".gz". run_save_as writes what the
// function `writer` produces. If writing fails, an existing file stays unchanged (results/save.h).
MUST_CHECK bool run_save_as(const struct run *run, run_writer *writer, const char *path,
                            struct error *err);
MUST_CHECK bool run_save(const struct run *run, const char *path, struct error *err);

// Reads a run from a file ("-": the standard input), which may be gzipped. The caller releases the
// run with run_destroy. Returns NULL with ERROR_IO if the file cannot be read, with ERROR_USAGE if
// it is not a run file of this schema. The message names the line of a syntax error, or the JSON
// path of a wrong value ("results[3].metrics[0].median").
struct run *run_read(const char *path, struct error *err);

// Like run_read, but skips the results, which saves most of the time.
struct run *run_read_head(const char *path, struct error *err);

// Like run_read, but reads from memory. `name` is used in messages.
struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err);

// Tables (results/codec.h) that describe a run, a result and a benchmark. The table of a run lacks
// the member "schema".
extern const struct json_table run_table, result_table, benchmark_table;

// Tables of structs inside a result. Run files and the messages of workers use the same tables.
extern const struct json_table reason_table, named_text_table, named_number_table, series_table,
    counter_table, kernel_table;

#endif
