// SPDX-License-Identifier: MIT
// A file is written as a whole or not at all: first to a temporary file in the same folder, which
// then takes the name. A full disk or a crash leaves the former file as it was.
#ifndef RESULTS_SAVE_H
#define RESULTS_SAVE_H

#include "base/error.h"

#include <stdio.h>

// Writes the contents; write errors that stdio remembers (ferror) need not be reported.
typedef bool file_write(void *context, FILE *stream, struct error *err);

// ERROR_IO where it fails; the message says what to do. A path that is not a regular file
// (/dev/stdout, a pipe) is written directly; a symbolic link to a file stays a link.
MUST_CHECK bool file_save(const char *path, file_write *write, void *context, struct error *err);

// True where file_save would write the same regular file for both paths. The files need not exist.
bool file_save_same(const char *one, const char *other);

// True where file_save could write there; ERROR_IO otherwise. It does not touch the file. For a
// check before a long measurement.
MUST_CHECK bool file_save_check(const char *path, struct error *err);

#endif
