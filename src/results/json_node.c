// SPDX-License-Identifier: MIT
#include "results/json_node.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// "results[3].metrics[0]", from the top down.
static const char *path_of(struct arena *arena, const struct json_node *node)
{
    if (!node->up)
        return "";
    const char *before = path_of(arena, node->up);
    if (!node->member)
        return arena_printf(arena, "%s[%zu]", before, node->index);
    return arena_printf(arena, "%s%s%.80s", before, *before ? "." : "", node->member);
}

void json_message_clean(struct error *err)
{
    if (!err)
        return;
    for (unsigned char *c = (unsigned char *)err->message; *c; c++) {
        bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F; // U+0080 … U+009F
        if (c1 || *c < 0x20 || *c == 0x7F)
            *c = '?';
        if (c1)
            *++c = '?';
    }
}

bool json_fail(struct json_reader *reader, const struct json_node *node, const char *format, ...)
{
    if (reader->failed)
        return false;
    reader->failed = true;
    struct arena *arena = arena_create();
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(arena, format, args);
    va_end(args);
    const char *path = path_of(arena, node);
    error_set(reader->err, ERROR_USAGE, "%s: %s%s%s", reader->file, path, *path ? ": " : "", text);
    json_message_clean(reader->err);
    arena_destroy(arena);
    return false;
}

static const char *type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

static bool wrong_type(struct json_reader *reader, const struct json_node *node, const char *wanted)
{
    return json_fail(reader, node, "expected %s, found %s", wanted, type_of(node->value));
}

bool json_is_map(struct json_reader *reader, const struct json_node *node)
{
    return !node->value || json_is_object(node->value) || wrong_type(reader, node, "an object");
}

struct json_node json_member(struct json_reader *reader, const struct json_node *node,
                             const char *name)
{
    struct json_node member = {.up = node, .member = name};
    if (!json_is_map(reader, node))
        return member;
    json_t *value = json_object_get(node->value, name);
    member.value = json_is_null(value) ? NULL : value;
    return member;
}

struct json_node json_element(const struct json_node *node, size_t index)
{
    json_t *value = json_array_get(node->value, index);
    return (struct json_node){
        .up = node, .index = index, .value = json_is_null(value) ? NULL : value};
}

size_t json_elements(struct json_reader *reader, const struct json_node *node)
{
    if (!node->value)
        return 0;
    if (!json_is_array(node->value)) {
        wrong_type(reader, node, "an array");
        return 0;
    }
    return json_array_size(node->value);
}

const char *json_text(struct json_reader *reader, const struct json_node *node)
{
    if (!node->value)
        return NULL;
    if (!json_is_string(node->value)) {
        wrong_type(reader, node, "a string");
        return NULL;
    }
    return arena_strdup(reader->arena, json_string_value(node->value));
}

const char *json_text_required(struct json_reader *reader, const struct json_node *node)
{
    const char *text = json_text(reader, node);
    if (!node->value)
        json_fail(reader, node, "missing");
    return text ? text : "";
}

double json_number(struct json_reader *reader, const struct json_node *node)
{
    if (!node->value)
        return NAN;
    if (!json_is_number(node->value)) {
        wrong_type(reader, node, "a number");
        return NAN;
    }
    return json_number_value(node->value);
}

uint64_t json_count(struct json_reader *reader, const struct json_node *node)
{
    if (!node->value)
        return 0;
    if (json_is_integer(node->value) && json_integer_value(node->value) >= 0)
        return (uint64_t)json_integer_value(node->value);
    double real = json_number(reader, node);
    // Above 2^63 jansson's integers end; reals carry such values.
    if (real == 0x1p64)
        return UINT64_MAX; // which is written as that, the nearest real
    if (real >= 0 && real < 0x1p64 && real == trunc(real))
        return (uint64_t)real;
    json_fail(reader, node, "expected a whole number, not negative");
    return 0;
}
