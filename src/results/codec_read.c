// SPDX-License-Identifier: MIT
#include "results/codec.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- errors and the paths of nodes

// Returns the path of a node: "results[3].metrics[0]"; "" for the document itself.
static const char *path_of(struct arena *arena, const struct json_node *node)
{
    if (!node->up)
        return "";
    const char *before = path_of(arena, node->up);
    if (!node->member)
        return arena_printf(arena, "%s[%zu]", before, node->index);
    return arena_printf(arena, "%s%s%.80s", before, *before ? "." : "", node->member);
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
    error_clean(reader->err);
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

// ---------------------------------------------------------------- reading nodes

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
    if (node->value && !json_is_array(node->value))
        wrong_type(reader, node, "an array");
    // json_array_size returns 0 for any value that is not an array
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

const char *json_compact(struct arena *arena, const struct json_node *node)
{
    char *text = json_dumps(node->value, JSON_COMPACT | JSON_ENCODE_ANY);
    const char *copy = arena_strdup(arena, text ? text : "");
    free(text);
    return copy;
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
    // json_put_count writes numbers above 2^63 − 1 as reals, because jansson's integers end there.
    if (real == 0x1p64)
        return UINT64_MAX; // json_put_count writes UINT64_MAX as 2^64, the nearest real
    if (real >= 0 && real < 0x1p64 && real == trunc(real))
        return (uint64_t)real;
    json_fail(reader, node, "expected a whole number, not negative");
    return 0;
}

double *json_numbers(struct json_reader *reader, const struct json_node *node, size_t *count)
{
    *count = json_elements(reader, node);
    double *values = ARENA_ARRAY(reader->arena, *count, double);
    for (size_t i = 0; i < *count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        values[i] = json_number(reader, &element);
    }
    return values;
}

// ---------------------------------------------------------------- reading structs by tables

static void get_value(struct json_reader *reader, const struct json_node *node,
                      const struct json_field *field, void *object);

static void set(const struct json_field *field, void *object, const void *value)
{
    memcpy((char *)object + field->offset, value, field->bytes);
}

static void get_text(struct json_reader *reader, const struct json_node *node,
                     const struct json_field *field, void *object)
{
    const char *text = field->required ? json_text_required(reader, node) : json_text(reader, node);
    set(field, object, &text);
}

static void get_chars(struct json_reader *reader, const struct json_node *node,
                      const struct json_field *field, void *object)
{
    const char *text = json_text(reader, node);
    size_t bytes = text ? strlen(text) + 1 : 0;
    if (bytes > field->bytes)
        json_fail(reader, node, "too long");
    else if (bytes)
        memcpy((char *)object + field->offset, text, bytes);
}

static void get_count(struct json_reader *reader, const struct json_node *node,
                      const struct json_field *field, void *object)
{
    uint64_t count = json_count(reader, node);
    unsigned small = (unsigned)count;
    if (field->bytes == sizeof small && small != count)
        json_fail(reader, node, "too large");
    set(field, object, field->bytes == sizeof small ? (const void *)&small : &count);
}

static void get_word(struct json_reader *reader, const struct json_node *node,
                     const struct json_field *field, void *object)
{
    const char *text = field->required ? json_text_required(reader, node) : json_text(reader, node);
    unsigned word = 0;
    bool is_known = !text || words_find(field->words, text, &word);
    if (!is_known && field->words->expected)
        json_fail(reader, node, "\"%.40s\" is not %s", text, field->words->expected);
    set(field, object, &word);
}

static void get_texts(struct json_reader *reader, const struct json_node *node, void *elements,
                      size_t count)
{
    const char **texts = elements;
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        texts[i] = json_text_required(reader, &element);
    }
}

// Reads `count` elements into structs. Returns how many of them json_table.keep kept.
static size_t get_structs(struct json_reader *reader, const struct json_node *node,
                          const struct json_table *table, char *elements, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        void *object = elements + kept * table->bytes;
        json_get_fields(reader, &element, table, object);
        kept += !table->keep || table->keep(object);
    }
    return kept;
}

// Reads the elements that json_read_rows left out of the document, one at a time.
static void get_rows(struct json_reader *reader, const struct json_node *node,
                     const struct json_field *field, void *object)
{
    json_t *row;
    for (size_t i = 0; !reader->failed && (row = json_rows_next(reader->rows)); i++) {
        struct json_node element = {
            .up = node, .index = i, .value = json_is_null(row) ? NULL : row};
        json_get_fields(reader, &element, field->table, field->add(object));
        json_decref(row);
    }
}

static void get_array(struct json_reader *reader, const struct json_node *node,
                      const struct json_field *field, void *object)
{
    if (field->add && reader->rows && !node->up->up &&
        strcmp(node->member, reader->rows->name) == 0) {
        get_rows(reader, node, field, object);
        return;
    }
    size_t count = json_elements(reader, node);
    for (size_t i = 0; field->add && i < count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        json_get_fields(reader, &element, field->table, field->add(object));
    }
    if (field->add)
        return;
    void *elements;
    if (field->kind == FIELD_REALS) {
        elements = json_numbers(reader, node, &count);
    } else if (field->kind == FIELD_TEXTS) {
        elements = ARENA_ARRAY(reader->arena, count, const char *);
        get_texts(reader, node, elements, count);
    } else {
        elements = arena_array(reader->arena, count, field->table->bytes);
        count = get_structs(reader, node, field->table, elements, count);
    }
    set(field, object, &elements);
    memcpy((char *)object + field->count_offset, &count, sizeof count);
}

static void get_map(struct json_reader *reader, const struct json_node *node,
                    const struct json_field *field, void *object)
{
    const struct json_table *table = field->table;
    const struct json_table others = {.fields = table->fields + 1, .count = table->count - 1};
    size_t room = json_is_map(reader, node) ? json_object_size(node->value) : 0, count = 0;
    char *elements = arena_array(reader->arena, room, table->bytes);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)node->value, name, value)
    {
        const struct json_node member = {.up = node, .member = name, .value = value};
        char *element = elements + count++ * table->bytes;
        const char *kept = arena_strdup(reader->arena, name);
        set(table->fields, element, &kept);
        if (others.count == 1)
            get_value(reader, &member, others.fields, element);
        else
            json_get_fields(reader, &member, &others, element);
    }
    set(field, object, &elements);
    memcpy((char *)object + field->count_offset, &count, sizeof count);
}

static void get_value(struct json_reader *reader, const struct json_node *node,
                      const struct json_field *field, void *object)
{
    double real;
    bool flag;
    if (field->required && !node->value)
        json_fail(reader, node, "missing");
    switch (field->kind) {
    case FIELD_TEXT:
        get_text(reader, node, field, object);
        break;
    case FIELD_CHARS:
        get_chars(reader, node, field, object);
        break;
    case FIELD_REAL:
        real = json_number(reader, node);
        set(field, object, &real);
        break;
    case FIELD_COUNT:
        get_count(reader, node, field, object);
        break;
    case FIELD_FLAG:
        if (node->value && !json_is_boolean(node->value))
            wrong_type(reader, node, "true or false");
        flag = json_is_true(node->value);
        set(field, object, &flag);
        break;
    case FIELD_WORD:
        get_word(reader, node, field, object);
        break;
    case FIELD_OBJECT:
        json_get_fields(reader, node, field->table, (char *)object + field->offset);
        break;
    case FIELD_TEXTS:
    case FIELD_REALS:
    case FIELD_LIST:
        get_array(reader, node, field, object);
        break;
    case FIELD_MAP:
        get_map(reader, node, field, object);
        break;
    case FIELD_CUSTOM:
        if (field->get)
            field->get(reader, node, object);
        break;
    }
}

void json_get_fields(struct json_reader *reader, const struct json_node *node,
                     const struct json_table *table, void *object)
{
    for (size_t i = 0; i < table->count; i++) {
        struct json_node member = json_member(reader, node, table->fields[i].name);
        get_value(reader, &member, &table->fields[i], object);
    }
}
