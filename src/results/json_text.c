// SPDX-License-Identifier: MIT
#include "results/json_text.h"
#include "base/arena.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Keeps every character that jansson takes alone, puts U+FFFD for each other byte.
static json_t *string_repaired(const char *text)
{
    struct arena *arena = arena_create();
    char *fixed = arena_alloc(arena, strlen(text) * 3 + 1);
    size_t used = 0;
    while (*text) {
        size_t length = strnlen(text, 4);
        json_t *one = NULL;
        while (length > 0 && !(one = json_stringn(text, length)))
            length--;
        json_decref(one);
        memcpy(fixed + used, length ? text : "\xEF\xBF\xBD", length ? length : 3);
        used += length ? length : 3;
        text += length ? length : 1;
    }
    json_t *string = json_stringn(fixed, used);
    arena_destroy(arena);
    return string;
}

json_t *json_text_of(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : string_repaired(text);
}

json_t *json_number_of(double value)
{
    if (!isfinite(value))
        return json_null();
    // Whole numbers below 2^53 lose nothing as integers and read better.
    if (value == trunc(value) && fabs(value) < 9007199254740992.0 &&
        !(value == 0 && signbit(value)))
        return json_integer((json_int_t)value);
    return json_real(value);
}

void json_put_text(json_t *object, const char *name, const char *text)
{
    if (text)
        json_object_set_new(object, name, json_text_of(text));
}

void json_put_number(json_t *object, const char *name, double value)
{
    if (isfinite(value))
        json_object_set_new(object, name, json_number_of(value));
}

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
