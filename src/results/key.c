// SPDX-License-Identifier: MIT
#include "results/names.h"
#include "results/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct case_value *case_find(const struct bench_case *c, const char *key)
{
    for (size_t i = 0; i < c->value_count; i++)
        if (strcmp(c->values[i].key, key) == 0)
            return &c->values[i];
    return NULL;
}

bool case_says(const struct bench_case *c, const char *key, const char *text)
{
    const struct case_value *value = case_find(c, key);
    return value && value->text && strcmp(value->text, text) == 0;
}

// A benchmark that asks for a parameter which it never declared cannot go on.
static const struct case_value *must_find(const struct bench_case *c, const char *key)
{
    const struct case_value *value = case_find(c, key);
    if (!value)
        __builtin_trap();
    return value;
}

uint64_t case_uint(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->uint;
}

double case_real(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->real;
}

const char *case_text(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->text;
}

void real_format(double value, char text[REAL_BYTES])
{
    // %g drops trailing zeros, so 15 digits give "0.1"; 17 are always exact.
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REAL_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

// The text of a value that is none, in `text`.
static const char *value_format(const struct case_value *value, char text[REAL_BYTES])
{
    if (value->type == PARAM_TEXT)
        return value->text ? value->text : "";
    if (value->type == PARAM_REAL)
        real_format(value->real, text);
    else
        snprintf(text, REAL_BYTES, "%" PRIu64, value->uint);
    return text;
}

const char *case_value_text(struct arena *arena, const struct case_value *value)
{
    char text[REAL_BYTES];
    const char *found = value_format(value, text);
    return found == text ? arena_strdup(arena, text) : found;
}

// True if the case has one of the values of an item "key=value|value", `length` characters long.
static bool item_matches(const struct bench_case *c, const char *item, size_t length)
{
    size_t key = strcspn(item, "=");
    const struct case_value *value = NULL;
    for (size_t i = 0; key < length && i < c->value_count; i++)
        if (strlen(c->values[i].key) == key && strncmp(c->values[i].key, item, key) == 0)
            value = &c->values[i];
    char buffer[REAL_BYTES];
    const char *text = value ? value_format(value, buffer) : NULL;
    for (const char *at = item + key; text && at < item + length;) {
        size_t one = strcspn(++at, "|,");
        if (strlen(text) == one && strncmp(at, text, one) == 0)
            return true;
        at += one;
    }
    return false;
}

bool case_matches(const struct bench_case *c, const char *where)
{
    while (where && *where) {
        size_t length = strcspn(where, ",");
        if (!item_matches(c, where, length))
            return false;
        where += length;
        where += *where == ',';
    }
    return true;
}

const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c)
{
    size_t length = strlen(benchmark);
    const char **texts = ARENA_ARRAY(arena, c->value_count, const char *);
    for (size_t i = 0; i < c->value_count; i++) {
        if (c->values[i].role != PARAM_AXIS)
            continue;
        texts[i] =
            arena_printf(arena, "/%s=%s", c->values[i].key, case_value_text(arena, &c->values[i]));
        length += strlen(texts[i]);
    }
    char *key = arena_alloc(arena, length + 1);
    char *end = key;
    memcpy(end, benchmark, strlen(benchmark));
    end += strlen(benchmark);
    for (size_t i = 0; i < c->value_count; i++) {
        if (!texts[i])
            continue;
        memcpy(end, texts[i], strlen(texts[i]));
        end += strlen(texts[i]);
    }
    return key;
}
