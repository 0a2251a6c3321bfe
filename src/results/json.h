// SPDX-License-Identifier: MIT
// A run as JSON, schema "fathom-run/1" (docs/run-schema.json). Within version 1, members are only
// added, and readers ignore members that they do not know. A number that is not finite is left out
// (null inside arrays of numbers). Finite numbers read back exactly, except whole numbers above
// 2^63, which may be rounded. Each device, benchmark, result and finding has its own line, so that
// line numbers in messages and in diffs are useful.
//
// A run file does not contain parameters of role DISPLAY, views of kind LINES, and the values of
// presets (param_info.quick, …). It also does not contain members that results.h marks as not in
// run files.
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

// Writes the run as a part of a larger document: as the member `name` or, if `name` is NULL, as an
// element of an array or the document itself (results/codec.h).
void run_put(struct json_out *out, const char *name, const struct run *run);

// Writes the case of a result as an object, in the form of the run file. `result` points to a
// struct result.
void run_put_case(struct json_out *out, const char *name, const void *result);

// The type of functions that write a run to a stream: run_write and those of report/export.h.
typedef bool run_writer(const struct run *run, FILE *stream, struct error *err);

// These functions write a run to a file. If this fails, an existing file stays unchanged
// (results/save.h). run_save_as writes what the function `writer` produces. run_save writes a run
// file, gzipped if the path ends with ".gz".
MUST_CHECK bool run_save_as(const struct run *run, run_writer *writer, const char *path,
                            struct error *err);
MUST_CHECK bool run_save(const struct run *run, const char *path, struct error *err);

// Reads a run, which the caller releases with run_destroy. Returns NULL with ERROR_IO if the file
// cannot be read. Returns NULL with ERROR_USAGE if the file is not a run file, is cut short, has
// another schema, or contains a value of the wrong type. The message then names the line or the
// JSON path ("results[3].metrics[0].median"). "-" is the standard input. The file may be gzipped
// (json_read_file in results/codec.h).
struct run *run_read(const char *path, struct error *err);

// Like run_read, but does not read the results. This takes a fraction of the time.
struct run *run_read_head(const char *path, struct error *err);

// Like run_read, but reads from memory. `name` is used in messages.
struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err);

// The tables of the members of a run file (except "schema"), of a result and of a benchmark.
extern const struct json_table run_table, result_table, benchmark_table;

// Tables of structs that are part of results. They are also used for the messages of worker
// processes, which report the same structs to the main process.
extern const struct json_table reason_table, named_text_table, named_number_table, series_table,
    counter_table, kernel_table;

#endif
