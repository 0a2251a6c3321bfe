// SPDX-License-Identifier: MIT
// jansson values as text that people can read as well.
#ifndef RESULTS_JSON_TEXT_H
#define RESULTS_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

// Writes `json` on one line and drops it. Numbers are the shortest that read back as the same.
// Write errors are left to ferror(stream).
void json_put(json_t *json, FILE *stream);

#endif
