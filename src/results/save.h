// SPDX-License-Identifier: MIT
// Writes a file as a whole or not at all: first as a temporary file in the same folder, which is
// then renamed. A full disk or a crash leaves an existing file unchanged.
#ifndef RESULTS_SAVE_H
#define RESULTS_SAVE_H

#include "base/error.h"

#include <stdio.h>

// Writes the contents. Need not report write errors that stdio remembers (ferror).
typedef bool file_write(void *context, FILE *stream, struct error *err);

// Writes the file with `write`. Fails with the error of `write`, or with ERROR_IO and a message
// that says what to do. A path that is not a regular file (/dev/stdout, a pipe) is written
// directly; a symbolic link to a file stays a link. In all functions here, "-" is the standard
// output; what the caller printed to it must be flushed.
MUST_CHECK bool file_save(const char *path, file_write *write, void *context, struct error *err);

// True if the path is "-", the standard output.
bool file_save_is_standard(const char *path);

// True if each file_save to the path leaves one whole file. False for a device, a pipe or the
// standard output, to which each call appends.
bool file_save_replaces(const char *path);

// True if file_save would write the same regular file for both paths. The files need not exist.
bool file_save_same(const char *one, const char *other);

// Checks, before a long measurement, whether file_save could write to the path; fails with ERROR_IO
// if not. An existing file is not changed. Removes the temporary files that processes left beside
// this file when they were killed. If the path is a FIFO, the process keeps it open.
MUST_CHECK bool file_save_check(const char *path, struct error *err);

#endif
