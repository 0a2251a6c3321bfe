// SPDX-License-Identifier: MIT
// Runs as one self-contained HTML page (web/): embedded as packed JSON (zlib's format in base64),
// drawn by a script in the page, nothing loaded from anywhere. The page is put into the program
// when it is built; a build without npm has none, and says so.
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "results/results.h"

#include <stdio.h>

// Is the page in this program? If not, *reason says why, for people.
bool html_available(const char **reason);

// All runs on one page, their devices side by side, whole but for the medians of single rounds. No
// text of a run can become markup or code. ERROR_UNSUPPORTED where the page is not in this program,
// ERROR_IO where the stream refuses.
MUST_CHECK bool html_write(const struct run *const *runs, size_t count, FILE *stream,
                           struct error *err);

// Writes the file whole or leaves the former one (results/save.h).
MUST_CHECK bool html_save(const struct run *const *runs, size_t count, const char *path,
                          struct error *err);

#endif
