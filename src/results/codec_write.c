// SPDX-License-Identifier: MIT
#include "results/codec.h"

#include "base/text.h"
#include "results/save.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

enum {
    STREAM_BYTES = 64 * 1024, // minimum capacity of json_out.text if a stream or sink gets the text
    MEMORY_BYTES = 512        // minimum capacity of json_out.text if the text stays in memory
};

// ---------------------------------------------------------------- writing bytes

static void stream_put(struct json_out *out, const void *bytes, size_t count)
{
    errno = EIO;
    if (out->sink)
        out->sink(out->sink_context, bytes, count);
    else if (fwrite(bytes, 1, count, out->stream) < count && !out->stream_error)
        out->stream_error = errno;
}

static voidpf packer_alloc(voidpf out, uInt count, uInt bytes)
{
    return arena_alloc(((struct json_out *)out)->arena, (size_t)count * bytes);
}

static void packer_free(voidpf out, voidpf address)
{
    (void)out, (void)address; // nothing to free: zlib's memory belongs to the arena
}

// Writes the next part of a gzipped stream. `flush` is Z_FINISH for the last part, else Z_NO_FLUSH.
static void stream_pack(struct json_out *out, int flush)
{
    unsigned char packed[16 * 1024];
    if (!out->packer) {
        out->packer = ARENA_NEW(out->arena, z_stream);
        *out->packer = (z_stream){.zalloc = packer_alloc, .zfree = packer_free, .opaque = out};
        int gzip = MAX_WBITS + 16; // 16 more than MAX_WBITS selects gzip instead of zlib
        if (deflateInit2(out->packer, out->gzip, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
            out->stream_error = EINVAL;
            return;
        }
    }
    out->packer->next_in = (unsigned char *)out->text;
    out->packer->avail_in = (uInt)out->used;
    do {
        out->packer->next_out = packed;
        out->packer->avail_out = sizeof packed;
        deflate(out->packer, flush);
        stream_put(out, packed, sizeof packed - out->packer->avail_out);
    } while (out->packer->avail_out == 0);
}

static void stream_write(struct json_out *out)
{
    if (out->gzip)
        stream_pack(out, Z_NO_FLUSH);
    else
        stream_put(out, out->text, out->used);
    out->used = 0;
}

static void make_room(struct json_out *out, size_t count)
{
    bool leaves = out->stream || out->sink;
    if (leaves && out->used)
        stream_write(out);
    if (out->capacity - out->used >= count)
        return;
    size_t needed = 2 * (out->used + count), least = leaves ? STREAM_BYTES : MEMORY_BYTES;
    out->capacity = needed > least ? needed : least;
    char *text = arena_alloc(out->arena, out->capacity);
    if (out->used)
        memcpy(text, out->text, out->used);
    out->text = text;
}

static void append(struct json_out *out, const char *bytes, size_t count)
{
    if (out->capacity - out->used < count)
        make_room(out, count);
    memcpy(out->text + out->used, bytes, count);
    out->used += count;
}

static void append_char(struct json_out *out, char c)
{
    append(out, &c, 1);
}

// ---------------------------------------------------------------- writing strings

// Returns the next character and moves *text past it. A byte that is not valid UTF-8 gives U+FFFD.
static const char *character_next(const char **text, size_t *bytes)
{
    const char *at = *text;
    *bytes = text_character(at);
    *text += *bytes ? *bytes : 1;
    if (*bytes)
        return at;
    *bytes = 3;
    return "\xEF\xBF\xBD";
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

static void append_special(struct json_out *out, const char **text)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *found = strchr(from, **text);
    size_t bytes;
    if (found) {
        append(out, (const char[]){'\\', to[found - from]}, 2);
        ++*text;
    } else if ((unsigned char)**text < 0x20) {
        char code[8];
        append(out, code, (size_t)snprintf(code, sizeof code, "\\u%04X", (unsigned)**text));
        ++*text;
    } else {
        const char *character = character_next(text, &bytes);
        append(out, character, bytes);
    }
}

static void append_string(struct json_out *out, const char *text)
{
    append_char(out, '"');
    while (*text) {
        const char *start = text;
        while (is_plain(*text))
            text++;
        append(out, start, (size_t)(text - start));
        if (*text)
            append_special(out, &text);
    }
    append_char(out, '"');
}

// True if two names become equal when U+FFFD replaces each byte that is not valid UTF-8.
static bool is_same_name(const char *one, const char *other)
{
    for (; is_plain(*one) && *one == *other; one++)
        other++;
    while (*one && *other) {
        size_t bytes, other_bytes;
        const char *a = character_next(&one, &bytes), *b = character_next(&other, &other_bytes);
        if (bytes != other_bytes || memcmp(a, b, bytes) != 0)
            return false;
    }
    return *one == *other;
}

// ---------------------------------------------------------------- writing numbers

static size_t whole_text(double value, char text[REAL_BYTES])
{
    return (size_t)snprintf(text, REAL_BYTES, "%" PRId64, (int64_t)value);
}

// Writes a number in the form that all versions of run files use: 17 digits with a short exponent
// ("1.5e22"), or fewer digits if they read back as the same number ("0.1", "1e-07").
static size_t real_text(double value, char text[REAL_BYTES])
{
    char shortest[REAL_BYTES];
    size_t length = (size_t)snprintf(text, REAL_BYTES, "%.17g", value);
    memcpy(shortest, text, length + 1);
    char *exponent = strchr(text, 'e');
    if (exponent) {
        char *digits = exponent + (exponent[1] == '+' || exponent[1] == '-' ? 2 : 1);
        char *to = exponent[1] == '-' ? exponent + 2 : exponent + 1;
        digits += strspn(digits, "0");
        memmove(to, digits, strlen(digits) + 1);
        length = strlen(text);
    } else if (!strchr(text, '.')) {
        length += (size_t)snprintf(text + length, REAL_BYTES - length, ".0");
    }
    if (length <= 16 || !strchr(text, '.'))
        return length;
    real_shorten(value, shortest);
    if (strlen(shortest) >= length)
        return length;
    length = strlen(shortest);
    memcpy(text, shortest, length);
    return length;
}

static void append_number(struct json_out *out, double value)
{
    char text[REAL_BYTES];
    bool is_whole =
        value == trunc(value) && fabs(value) < 0x1p53 && !(value == 0 && signbit(value));
    if (isfinite(value))
        append(out, text, is_whole ? whole_text(value, text) : real_text(value, text));
    else
        append(out, "null", 4);
}

// ---------------------------------------------------------------- writing values

static void new_line(struct json_out *out)
{
    append_char(out, '\n');
    for (unsigned i = 0; i < out->indent * out->depth; i++)
        append_char(out, ' ');
}

// Writes the comma, the line break and the name before a value, as far as they are needed.
static void begin(struct json_out *out, const char *name, bool is_object)
{
    if (out->comma)
        append_char(out, ',');
    bool is_line = (out->depth == 1 && out->comma) || (out->depth == 2 && is_object && !name);
    if ((out->lines && is_line) || (out->indent && out->depth))
        new_line(out);
    if (name) {
        append_string(out, name);
        append(out, ": ", out->indent ? 2 : 1);
    }
    out->comma = true;
}

void json_put_open(struct json_out *out, const char *name, char bracket)
{
    begin(out, name, bracket == '{');
    append_char(out, bracket);
    out->depth++;
    out->comma = false;
}

void json_put_close(struct json_out *out, char bracket)
{
    bool is_empty = !out->comma;
    out->depth--;
    if (out->indent && !is_empty)
        new_line(out);
    append_char(out, bracket);
    out->comma = true;
}

void json_put_text(struct json_out *out, const char *name, const char *text)
{
    if (!text)
        return;
    begin(out, name, false);
    append_string(out, text);
}

void json_put_count(struct json_out *out, const char *name, uint64_t count)
{
    char text[REAL_BYTES];
    begin(out, name, false);
    if (count <= INT64_MAX)
        append(out, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, count));
    else // jansson cannot read an integer above INT64_MAX, so such a number is written as a real
        append_number(out, (double)count);
}

void json_put_bool(struct json_out *out, const char *name, bool value)
{
    begin(out, name, false);
    append(out, value ? "true" : "false", value ? 4 : 5);
}

void json_put_null(struct json_out *out, const char *name)
{
    begin(out, name, false);
    append(out, "null", 4);
}

void json_put_real(struct json_out *out, const char *name, double value)
{
    if (name && !isfinite(value))
        return;
    begin(out, name, false);
    append_number(out, value);
}

void json_put_reals(struct json_out *out, const char *name, const double *values, size_t count)
{
    json_put_open(out, name, '[');
    for (size_t i = 0; i < count; i++)
        json_put_real(out, NULL, values[i]);
    json_put_close(out, ']');
}

const char *json_out_text(struct json_out *out)
{
    append_char(out, '\0');
    out->used--;
    return out->text;
}

bool json_out_end(struct json_out *out, const char *what, struct error *err)
{
    append_char(out, '\n');
    if (out->gzip)
        stream_pack(out, Z_FINISH);
    else
        stream_write(out);
    int failed = out->stream ? file_flush(out->stream) : 0;
    if (failed && !out->stream_error)
        out->stream_error = failed;
    if (out->stream_error == ENOMEM)
        return error_set(err, ERROR_IO, "out of memory while writing %s", what);
    if (out->stream_error)
        return error_set(err, ERROR_IO, "cannot write %s: %s", what, strerror(out->stream_error));
    return true;
}

// ---------------------------------------------------------------- writing structs by tables

static void *pointer_at(const void *object, size_t offset)
{
    void *pointer;
    memcpy(&pointer, (const char *)object + offset, sizeof pointer);
    return pointer;
}

static uint64_t count_at(const void *object, size_t offset, size_t bytes)
{
    unsigned small;
    uint64_t large;
    memcpy(bytes == sizeof small ? (void *)&small : &large, (const char *)object + offset, bytes);
    return bytes == sizeof small ? small : large;
}

static void put_value(struct json_out *out, const char *name, const struct json_field *field,
                      const void *object);

static const void *element_at(const struct json_field *field, const char *elements, size_t index)
{
    return field->pointers ? pointer_at(elements, index * sizeof(void *))
                           : elements + index * field->table->bytes;
}

static void put_list(struct json_out *out, const char *name, const struct json_field *field,
                     const char *elements, size_t count)
{
    json_put_open(out, name, '[');
    for (size_t i = 0; i < count; i++)
        json_put_struct(out, NULL, field->table, element_at(field, elements, i));
    json_put_close(out, ']');
}

static const char *name_at(const struct json_table *table, const char *elements, size_t index)
{
    return pointer_at(elements + index * table->bytes, table->fields[0].offset);
}

static void put_map(struct json_out *out, const char *name, const struct json_table *table,
                    const char *elements, size_t count)
{
    const struct json_table others = {.fields = table->fields + 1, .count = table->count - 1};
    json_put_open(out, name, '{');
    for (size_t i = 0; i < count; i++) {
        const char *key = name_at(table, elements, i);
        size_t earlier = 0, last = count - 1;
        while (!is_same_name(name_at(table, elements, earlier), key))
            earlier++;
        while (!is_same_name(name_at(table, elements, last), key))
            last--;
        if (earlier < i)
            continue;
        const void *element = elements + last * table->bytes;
        if (others.count == 1)
            put_value(out, key, others.fields, element);
        else
            json_put_struct(out, key, &others, element);
    }
    json_put_close(out, '}');
}

static void put_texts(struct json_out *out, const char *name, const char *const *texts,
                      size_t count)
{
    json_put_open(out, name, '[');
    for (size_t i = 0; i < count; i++)
        json_put_text(out, NULL, texts[i]);
    json_put_close(out, ']');
}

static void put_array(struct json_out *out, const char *name, const struct json_field *field,
                      const void *object)
{
    size_t count = (size_t)count_at(object, field->count_offset, sizeof count);
    const void *elements = pointer_at(object, field->offset);
    if (count == 0 && field->omit_zero)
        return;
    if (field->kind == FIELD_TEXTS)
        put_texts(out, name, elements, count);
    else if (field->kind == FIELD_REALS)
        json_put_reals(out, name, elements, count);
    else if (field->kind == FIELD_LIST)
        put_list(out, name, field, elements, count);
    else
        put_map(out, name, field->table, elements, count);
}

static void put_value(struct json_out *out, const char *name, const struct json_field *field,
                      const void *object)
{
    const char *at = (const char *)object + field->offset;
    double real;
    uint64_t count;
    switch (field->kind) {
    case FIELD_TEXT:
        json_put_text(out, name, pointer_at(at, 0));
        break;
    case FIELD_CHARS:
        json_put_text(out, name, at);
        break;
    case FIELD_REAL:
        memcpy(&real, at, sizeof real);
        if (real != 0 || !field->omit_zero)
            json_put_real(out, name, real);
        break;
    case FIELD_COUNT:
        count = count_at(at, 0, field->bytes);
        if (count || !field->omit_zero)
            json_put_count(out, name, count);
        break;
    case FIELD_FLAG:
        if (*(const bool *)at)
            json_put_bool(out, name, true);
        break;
    case FIELD_WORD:
        count = count_at(at, 0, field->bytes);
        if (count || !field->omit_zero)
            json_put_text(out, name, words_name(field->words, (unsigned)count));
        break;
    case FIELD_OBJECT:
        json_put_struct(out, name, field->table, at);
        break;
    case FIELD_CUSTOM:
        field->put(out, name, object);
        break;
    case FIELD_TEXTS:
    case FIELD_REALS:
    case FIELD_LIST:
    case FIELD_MAP:
        put_array(out, name, field, object);
        break;
    }
}

void json_put_fields(struct json_out *out, const struct json_table *table, const void *object)
{
    for (size_t i = 0; i < table->count; i++)
        if (!out->without || strcmp(out->without, table->fields[i].name) != 0)
            put_value(out, table->fields[i].name, &table->fields[i], object);
}

void json_put_struct(struct json_out *out, const char *name, const struct json_table *table,
                     const void *object)
{
    if (table->keep && !table->keep(object))
        return;
    json_put_open(out, name, '{');
    json_put_fields(out, table, object);
    json_put_close(out, '}');
}

void json_put_member(struct json_out *out, const struct json_table *table, const char *name,
                     const void *object)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].name, name) == 0)
            put_value(out, name, &table->fields[i], object);
}
