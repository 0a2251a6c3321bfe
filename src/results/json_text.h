// SPDX-License-Identifier: MIT
// jansson values from our data, and as text that people can read as well.
#ifndef RESULTS_JSON_TEXT_H
#define RESULTS_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

// A string; what is not UTF-8 in it (driver names are not always) becomes U+FFFD.
json_t *json_text_of(const char *text);

// null where it is not finite; whole numbers without a fraction.
json_t *json_number_of(double value);

// Sets a member where there is something to say: nothing for NULL, nothing for a non-finite value.
void json_put_text(json_t *object, const char *name, const char *text);
void json_put_number(json_t *object, const char *name, double value);

// Writes `json` on one line and drops it. Numbers are the shortest that read back as the same.
// Write errors are left to ferror(stream).
void json_put(json_t *json, FILE *stream);

#endif
