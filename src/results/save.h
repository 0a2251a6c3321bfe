// SPDX-License-Identifier: MIT
// Writes a file completely or not at all. To do so, writes a temporary file in the same folder and
// renames it. So a full disk or a crash leaves an existing file unchanged.
#ifndef RESULTS_SAVE_H
#define RESULTS_SAVE_H

#include "base/error.h"

#include <stdio.h>

// A function that writes the contents of a file to `stream`. It may ignore errors of writing,
// because file_save checks ferror.
typedef bool file_write(void *context, FILE *stream, struct error *err);

// Writes what the function `write` produces to the file at `path`. Fails with the error of `write`,
// or with ERROR_IO and a message that says what to do.
//
// A path that is not a regular file (/dev/stdout, a pipe) is written directly. A symbolic link
// stays, and the file behind it is replaced. In all functions of this header, "-" is the standard
// output; the caller must have flushed what it printed there.
MUST_CHECK bool file_save(const char *path, file_write *write, void *context, struct error *err);

// Writes what the stream still buffers. Returns 0, or the errno of this or an earlier write that
// failed.
MUST_CHECK int file_flush(FILE *stream);

// True if the path is "-", the standard output.
bool file_save_is_standard(const char *path);

// True if file_save to this path replaces or creates a regular file. False for a device, a pipe or
// the standard output: there, each file_save adds to the output of earlier ones.
bool file_save_replaces(const char *path);

// True if file_save to both paths writes the same regular file, or if both are the standard output.
// The files need not exist. Hard links of one file count as the same file.
bool file_save_same(const char *one, const char *other);

// Checks, before a long measurement, whether file_save can write to the path. Fails with ERROR_IO
// if not. Does not change an existing file, but removes temporary files that killed processes left.
// Keeps a FIFO open.
MUST_CHECK bool file_save_check(const char *path, struct error *err);

#endif
