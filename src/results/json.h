// SPDX-License-Identifier: MIT
// A run as JSON, schema "fathom-run/1" (docs/run-schema.json). Within /1 members are only added
// and readers ignore what they do not know; a non-finite number is absent (null inside the rows of
// a series); floats keep every bit. One device, benchmark, result or finding stands on each line,
// so that line numbers in messages and diffs say something.
//
// Not written: parameters of role DISPLAY, views of kind LINES, and what a preset would choose
// (param_info.quick, …).
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include "results/results.h"

#include <stdio.h>

// Strings that are not UTF-8 are repaired with U+FFFD. ERROR_IO where the stream refuses.
MUST_CHECK bool run_write(const struct run *run, FILE *stream, struct error *err);

// Writes the file at once or leaves the former one (results/save.h).
MUST_CHECK bool run_save(const struct run *run, const char *path, struct error *err);

// A new run, given back with run_destroy; NULL with ERROR_IO where the file cannot be read, or
// ERROR_USAGE where it is no run file, is cut short, comes from a newer schema or holds something
// of the wrong type, naming the line or the JSON path ("results[3].metrics[0].median"). "-" is the
// standard input.
struct run *run_read(const char *path, struct error *err);

// The same from memory; `name` is for messages.
struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err);

#endif
