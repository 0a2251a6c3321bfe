// SPDX-License-Identifier: MIT
// A file is written as a whole or not at all: first as a temporary file in the same folder, which
// is then renamed. A full disk or a crash leaves the former file unchanged.
#ifndef RESULTS_SAVE_H
#define RESULTS_SAVE_H

#include "base/error.h"

#include <stdio.h>

// Writes the contents; write errors that stdio remembers (ferror) need not be reported.
typedef bool file_write(void *context, FILE *stream, struct error *err);

// Writes the file with `write`. Returns the error of `write`, or ERROR_IO with a message that says
// what to do. A path that is not a regular file (/dev/stdout, a pipe) is written directly; a
// symbolic link to a file stays a link. "-" is the standard output, here and below; what the caller
// printed to it must be flushed.
MUST_CHECK bool file_save(const char *path, file_write *write, void *context, struct error *err);

// True if the path is "-", the standard output.
bool file_save_is_standard(const char *path);

// True if file_save would replace a file or make one: each call leaves one whole file. False for a
// device, a pipe or the standard output, where each call appends.
bool file_save_replaces(const char *path);

// True if file_save would write the same regular file for both paths. The files need not exist.
bool file_save_same(const char *one, const char *other);

// True if file_save could write to the path; false with ERROR_IO otherwise. An existing file is not
// changed. For a check before a long measurement. Removes the temporary files that processes left
// beside this file when they were killed. If the path is a FIFO, the process keeps it open.
MUST_CHECK bool file_save_check(const char *path, struct error *err);

#endif
