// SPDX-License-Identifier: MIT
#include "results/json_text.h"
#include "results/names.h"

#include <stdlib.h>
#include <string.h>

static size_t string_length(const char *text)
{
    const char *end = text + 1;
    for (; *end != '"'; end++)
        if (*end == '\\')
            end++;
    return (size_t)(end + 1 - text);
}

// A string, a number, or what stands between them.
static size_t token_length(const char *text)
{
    if (*text == '"')
        return string_length(text);
    size_t number = strspn(text, "+-.0123456789eE");
    if ((*text >= '0' && *text <= '9') || *text == '-')
        return number;
    return strcspn(text, "\"-0123456789");
}

// jansson writes 17 digits, 0.10000000000000001 for 0.1. In place: nothing gets longer.
static void shorten_numbers(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t length = token_length(from), kept = length;
        const char *piece = from;
        char number[REAL_BYTES];
        if (*from != '"' && length > 16 && memchr(from, '.', length)) {
            real_format(strtod(from, NULL), number);
            if (strlen(number) < length) {
                piece = number;
                kept = strlen(number);
            }
        }
        memmove(to, piece, kept);
        to += kept;
        from += length;
    }
    *to = '\0';
}

void json_put(json_t *json, FILE *stream)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(json);
    if (!text)
        return; // out of memory only: what we build is always valid
    shorten_numbers(text);
    fputs(text, stream);
    free(text);
}
