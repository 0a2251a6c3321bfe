// SPDX-License-Identifier: MIT
// The text of a document, and jansson's values of it.
#include "results/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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

enum {
    READ_BYTES = 1 << 20 // bytes to read at a time; initial capacity for a file of unknown length
};

// Most bytes that a gzipped file may hold, so that a small file cannot fill the memory. A run of
// 100,000 results has 107 MB.
static const uint64_t unpacked_most = UINT64_C(256) << 20;

static json_t *parse(const char *text, size_t bytes, size_t flags, json_error_t *why)
{
    // arena_malloc ends the process if memory runs out. jansson 2.14 does not survive a failed
    // allocation: its lexer drops a byte and goes on, or an assertion fails.
    json_set_alloc_funcs(arena_malloc, free);
    return json_loadb(text, bytes, flags | JSON_REJECT_DUPLICATES, why);
}

json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err)
{
    json_error_t why;
    json_t *json = parse(text, bytes, 0, &why);
    if (json)
        return json;
    if (json_error_code(&why) == json_error_premature_end_of_input)
        error_set(err, ERROR_USAGE,
                  "%s: line %d: the file is cut short (%s); measure again or restore it", name,
                  why.line, why.text);
    else
        error_set(err, ERROR_USAGE, "%s: line %d, column %d: not valid JSON: %s", name, why.line,
                  why.column, why.text);
    json_message_clean(err);
    return NULL;
}

// ---------------------------------------------------------------- files

static bool cannot_read(const char *path, int number, struct error *err)
{
    return error_set(err, ERROR_IO, "cannot read %s: %s", path, strerror(number));
}

// A file that is read. zlib sees by the first two bytes whether it is gzipped.
struct source {
    gzFile file;
    char *text;
    size_t bytes, capacity;
    int number; // errno of a read that failed; 0: none failed
    bool too_long;
};

static void make_room(struct source *source)
{
    if (source->bytes < source->capacity)
        return;
    source->capacity *= 2;
    char *text = arena_malloc(source->capacity);
    memcpy(text, source->text, source->bytes);
    free(source->text);
    source->text = text;
}

// Reads up to the end of the file. Stops earlier if reading fails, or if the text cannot be JSON: a
// device like /dev/zero has no end.
static void read_all(struct source *source)
{
    int count;
    do {
        make_room(source);
        size_t room = source->capacity - source->bytes;
        count = gzread(source->file, source->text + source->bytes,
                       (unsigned)(room < READ_BYTES ? room : READ_BYTES));
        source->number = errno;
        source->bytes += count > 0 ? (size_t)count : 0;
        source->too_long = source->bytes > unpacked_most && !gzdirect(source->file);
    } while (count > 0 && !source->too_long && source->text[0]);
}

// False with a message if the file could not be read to its end: the check sum of a gzipped file
// stands at its end.
static bool source_check(const struct source *source, const char *path, struct error *err)
{
    int status;
    const char *why = gzerror(source->file, &status);
    if (status == Z_ERRNO)
        return cannot_read(path, source->number, err);
    if (status == Z_MEM_ERROR)
        return cannot_read(path, ENOMEM, err);
    if (status != Z_OK && status != Z_STREAM_END) {
        error_set(err, ERROR_USAGE, "%s: the gzipped file is damaged (%s); restore it", path, why);
        json_message_clean(err);
        return false;
    }
    return !source->too_long || error_set(err, ERROR_USAGE,
                                          "%s: the gzipped file holds more than %u MiB; unpack it "
                                          "with gunzip and read that",
                                          path, (unsigned)(unpacked_most >> 20));
}

char *json_read_text(const char *path, size_t *bytes, struct error *err)
{
    errno = 0;
    struct stat info;
    int file = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    struct source source = {.file = file < 0 ? NULL : gzdopen(file, "r"), .capacity = READ_BYTES};
    if (!source.file) {
        cannot_read(path, errno ? errno : ENOMEM, err);
        if (file >= 0)
            close(file);
        return NULL;
    }
    // One byte more than the file has, so that its end is seen without growing.
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= READ_BYTES)
        source.capacity = (size_t)info.st_size + 1;
    source.text = arena_malloc(source.capacity);
    read_all(&source);
    if (!source_check(&source, path, err)) {
        free(source.text);
        source.text = NULL;
    }
    gzclose(source.file);
    *bytes = source.bytes;
    return source.text;
}

json_t *json_read_file(const char *path, struct error *err)
{
    size_t bytes;
    char *text = json_read_text(path, &bytes, err);
    json_t *json = text ? json_read_memory(text, bytes, path, err) : NULL;
    free(text);
    return json;
}

// ---------------------------------------------------------------- rows

// A place in a text. `at` may be `end`, and no byte is read there.
struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at && strchr(" \t\r\n", *scan->at))
        scan->at++;
}

static bool skip_char(struct scan *scan, char c)
{
    skip_blanks(scan);
    bool found = scan->at < scan->end && *scan->at == c;
    scan->at += found;
    return found;
}

// Moves from the first byte of a string past its end.
static void skip_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
        scan->at += *scan->at == '\\' && scan->at + 1 < scan->end;
    scan->at += scan->at < scan->end;
}

// Moves past a value: to the next comma or bracket that is not inside of it. Does not check the
// value: jansson does.
static void skip_value(struct scan *scan)
{
    size_t depth = 0;
    while (scan->at < scan->end) {
        char c = *scan->at;
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (depth == 0 && (closes || c == ','))
            return;
        depth += opens;
        depth -= closes;
        if (c == '"')
            skip_string(scan);
        else
            scan->at++;
    }
}

// Finds the array that is the top-level member `name`: the range from after its opening bracket to
// its closing bracket. False if the document has no such array.
static bool find_rows(struct scan scan, const char *name, struct scan *rows)
{
    if (!skip_char(&scan, '{'))
        return false;
    do {
        skip_blanks(&scan);
        if (scan.at == scan.end || *scan.at != '"')
            return false;
        const char *key = scan.at + 1;
        skip_string(&scan);
        bool found =
            (size_t)(scan.at - key) == strlen(name) + 1 && memcmp(key, name, strlen(name)) == 0;
        if (!skip_char(&scan, ':'))
            return false;
        skip_blanks(&scan);
        const char *value = scan.at;
        skip_value(&scan);
        if (found) {
            *rows = (struct scan){value + 1, scan.at};
            while (rows->end > value && rows->end[-1] != ']')
                rows->end--;
            rows->end--;
            return rows->end > value && *value == '[';
        }
    } while (skip_char(&scan, ','));
    return false;
}

json_t *json_read_rows(const char *text, size_t bytes, const char *name, struct json_rows *rows)
{
    struct scan inside;
    if (!find_rows((struct scan){text, text + bytes}, name, &inside))
        return NULL;
    // The document without the elements is the same document with an empty array.
    size_t before = (size_t)(inside.at - text), after = (size_t)(text + bytes - inside.end);
    char *rest = arena_malloc(before + after);
    memcpy(rest, text, before);
    memcpy(rest + before, inside.end, after);
    json_error_t why;
    json_t *json = parse(rest, before + after, 0, &why);
    free(rest);
    skip_blanks(&inside);
    *rows = (struct json_rows){.name = name, .at = inside.at, .end = inside.end};
    return json;
}

json_t *json_rows_next(struct json_rows *rows)
{
    struct scan scan = {rows->at, rows->end};
    if (scan.at == scan.end || rows->failed)
        return NULL;
    json_error_t why;
    skip_value(&scan);
    json_t *json = parse(rows->at, (size_t)(scan.at - rows->at), JSON_DECODE_ANY, &why);
    // After a comma comes another row.
    bool more = skip_char(&scan, ',');
    rows->failed = !json || (more ? scan.at == scan.end : scan.at != scan.end);
    rows->at = scan.at;
    return json;
}
