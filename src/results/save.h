// SPDX-License-Identifier: MIT
// Files are written whole or not at all: first into a temporary file beside, then renamed. A full
// disk or a crash leaves the former file as it was.
#ifndef RESULTS_SAVE_H
#define RESULTS_SAVE_H

#include "base/error.h"

#include <stdio.h>

// Writes the contents; write errors that stdio remembers (ferror) need not be reported.
typedef bool file_write(void *context, FILE *stream, struct error *err);

// ERROR_IO with what to do where it fails. A path that is no regular file (/dev/stdout, a pipe) is
// written straight; a symbolic link to a file keeps pointing to it.
MUST_CHECK bool file_save(const char *path, file_write *write, void *context, struct error *err);

// Would file_save write one regular file for both? Neither need be there yet.
bool file_save_same(const char *one, const char *other);

// Could file_save write there? Tries without touching the file; for failing before the work.
MUST_CHECK bool file_save_check(const char *path, struct error *err);

#endif
