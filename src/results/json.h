// SPDX-License-Identifier: MIT
// A run as JSON, schema "fathom-run/1" (docs/run-schema.json). Within /1 members are only added,
// and readers ignore members that they do not know. A number that is not finite is absent (null
// inside the rows of a series); other numbers keep every bit. Each device, benchmark, result and
// finding stands on a line of its own, so that line numbers in messages and diffs are useful.
//
// Not written: parameters of role DISPLAY, views of kind LINES, and what a preset would choose
// (param_info.quick, …).
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include "results/results.h"

#include <stdio.h>

struct json_out;
struct json_table;

// ERROR_IO where the stream refuses.
MUST_CHECK bool run_write(const struct run *run, FILE *stream, struct error *err);

// The run as one value of a larger document (results/codec.h).
void run_put(struct json_out *out, const struct run *run);

// Writes a run to a stream in some form: run_write, or one of report/export.h.
typedef bool run_writer(const struct run *run, FILE *stream, struct error *err);

// Writes the whole file, or leaves the former one as it was (results/save.h). run_save writes the
// run file.
MUST_CHECK bool run_save_as(const struct run *run, run_writer *writer, const char *path,
                            struct error *err);
MUST_CHECK bool run_save(const struct run *run, const char *path, struct error *err);

// A new run, to be given back with run_destroy. NULL with ERROR_IO where the file cannot be read;
// NULL with ERROR_USAGE where it is not a run file, is cut short, has a newer schema or holds a
// value of the wrong type: the message names the line or the JSON path
// ("results[3].metrics[0].median"). "-" is the standard input.
struct run *run_read(const char *path, struct error *err);

// The same from memory; `name` is for messages.
struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err);

// The members of what a worker's visit and a result have in common; messages of workers use them.
extern const struct json_table reason_table, named_text_table, named_number_table, series_table,
    kernel_table;

#endif
