// SPDX-License-Identifier: MIT
// Reads the text of a document, and turns it into values of jansson.
#include "results/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    // bytes of one read from a file, at most; also the smallest buffer for the text
    READ_BYTES = 1 << 20
};

// Maximum unpacked bytes of a gzipped file; a run file with 100,000 results has 107 MB.
static const uint64_t unpacked_most = UINT64_C(256) << 20;

static json_t *parse(const char *text, size_t bytes, size_t flags, json_error_t *why)
{
    // jansson 2.14 does not survive a failed allocation; arena_malloc ends the process instead.
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
                  "%s: line %d: the file is cut short (%s); restore it or make it again", name,
                  why.line, why.text);
    else
        error_set(err, ERROR_USAGE, "%s: line %d, column %d: not valid JSON: %s", name, why.line,
                  why.column, why.text);
    error_clean(err);
    return NULL;
}

// ---------------------------------------------------------------- reading files

static bool cannot_read(const char *path, int number, struct error *err)
{
    return error_set(err, ERROR_IO, "cannot read %s: %s", *path ? path : "''", strerror(number));
}

// A file that is being read. zlib recognizes a gzipped file by its first two bytes.
struct source {
    gzFile file;
    char *text;
    size_t bytes, capacity;
    int number; // errno after the last read; means something only if that read failed
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

// Reads the file to its end. A first byte of NUL ends the reading: /dev/zero never ends.
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

// Returns false with a message if reading failed, or if a gzipped file is damaged or too long.
static bool source_check(const struct source *source, const char *path, struct error *err)
{
    int status;
    const char *why = gzerror(source->file, &status);
    if (status == Z_ERRNO)
        return cannot_read(path, source->number, err);
    if (status == Z_MEM_ERROR)
        return cannot_read(path, ENOMEM, err);
    if (status != Z_OK && status != Z_STREAM_END) {
        const char *text = strstr(why, ": "); // before it, zlib names the file "<fd:3>"
        error_set(err, ERROR_USAGE, "%s: the gzipped file is damaged (%s); restore it", path,
                  text ? text + 2 : why);
        error_clean(err);
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
    // one byte more than the file, because the last read, which finds the end, then needs no larger
    // buffer
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

// ---------------------------------------------------------------- elements of a long array

// A position in a text. `end` is the end of the text; the byte at `end` must not be read.
struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

static bool skip_char(struct scan *scan, char c)
{
    skip_blanks(scan);
    bool found = scan->at < scan->end && *scan->at == c;
    scan->at += found;
    return found;
}

// Moves past a string: to after the first quote with an even number of backslashes before it.
static void skip_string(struct scan *scan)
{
    const char *start = ++scan->at, *quote;
    while ((quote = memchr(scan->at, '"', (size_t)(scan->end - scan->at))) != NULL) {
        const char *escape = quote;
        while (escape > start && escape[-1] == '\\')
            escape--;
        scan->at = quote + 1;
        if ((quote - escape) % 2 == 0)
            return;
    }
    scan->at = scan->end;
}

// Moves past a JSON value, unchecked, to the next comma or bracket outside the value.
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

// Finds the array `name` in the top-level object; `rows` becomes the text between its brackets.
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
    // json_rows_next parses the elements of the array later, one by one
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

// ---------------------------------------------------------------- rows in fathom's own form

// Reads a JSON value in the form that fathom writes most often (ASCII without escapes, short names,
// numbers); NULL for any other. jansson alone would take half the time of a report on a long run.
static json_t *read_value(struct scan *scan, unsigned depth);

enum {
    DEEPEST = 16,   // a value inside this many arrays and objects needs jansson
    NAME_BYTES = 64 // maximum size of a member's name, including the NUL
};

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

static bool read_text(struct scan *scan, const char **text, size_t *bytes)
{
    if (!skip_char(scan, '"'))
        return false;
    *text = scan->at;
    while (scan->at < scan->end && is_plain(*scan->at))
        scan->at++;
    *bytes = (size_t)(scan->at - *text);
    bool ended = scan->at < scan->end && *scan->at == '"';
    scan->at += ended;
    return ended;
}

static bool read_name(struct scan *scan, char name[NAME_BYTES])
{
    const char *text;
    size_t bytes;
    if (!read_text(scan, &text, &bytes) || bytes >= NAME_BYTES || !skip_char(scan, ':'))
        return false;
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    return true;
}

static json_t *read_object(struct scan *scan, unsigned depth)
{
    json_t *object = json_object();
    char name[NAME_BYTES];
    bool right = skip_char(scan, '{');
    if (skip_char(scan, '}'))
        return object;
    for (size_t count = 1; right; count++) {
        right = read_name(scan, name) &&
                json_object_set_new_nocheck(object, name, read_value(scan, depth)) == 0 &&
                // if two members have the same name, the object has fewer members than `count`
                json_object_size(object) == count;
        if (!skip_char(scan, ','))
            break;
    }
    if (right && skip_char(scan, '}'))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *read_array(struct scan *scan, unsigned depth)
{
    json_t *array = json_array();
    bool right = skip_char(scan, '[');
    if (skip_char(scan, ']'))
        return array;
    while (right) {
        right = json_array_append_new(array, read_value(scan, depth)) == 0;
        if (!skip_char(scan, ','))
            break;
    }
    if (right && skip_char(scan, ']'))
        return array;
    json_decref(array);
    return NULL;
}

static size_t skip_digits(const char **text)
{
    size_t count = strspn(*text, "0123456789");
    *text += count;
    return count;
}

// True for a JSON number of at most 18 digits before the point. *is_whole: no fraction or exponent.
static bool is_number(const char *text, bool *is_whole)
{
    text += *text == '-';
    bool starts_with_zero = *text == '0';
    size_t digits = skip_digits(&text);
    bool right = digits == 1 || (digits > 1 && digits < 19 && !starts_with_zero);
    *is_whole = !*text;
    if (*text == '.') {
        text++;
        right &= skip_digits(&text) > 0;
    }
    if (*text == 'e' || *text == 'E') {
        text += text[1] == '+' || text[1] == '-' ? 2 : 1;
        right &= skip_digits(&text) > 0;
    }
    return right && !*text;
}

static bool is_in_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static json_t *read_number(struct scan *scan)
{
    char text[REAL_BYTES];
    size_t bytes = 0;
    bool is_whole;
    while (scan->at < scan->end && bytes < sizeof text - 1 && is_in_number(*scan->at))
        text[bytes++] = *scan->at++;
    text[bytes] = '\0';
    if (bytes == sizeof text - 1 || !is_number(text, &is_whole))
        return NULL;
    if (is_whole)
        return json_integer(strtoll(text, NULL, 10));
    return json_real(strtod(text, NULL)); // json_real returns NULL for an infinite number
}

static bool skip_word(struct scan *scan, const char *word)
{
    size_t bytes = strlen(word);
    bool found = (size_t)(scan->end - scan->at) >= bytes && memcmp(scan->at, word, bytes) == 0;
    scan->at += found ? bytes : 0;
    return found;
}

static json_t *read_value(struct scan *scan, unsigned depth)
{
    const char *text;
    size_t bytes;
    skip_blanks(scan);
    if (scan->at == scan->end || depth == DEEPEST)
        return NULL;
    switch (*scan->at) {
    case '{':
        return read_object(scan, depth + 1);
    case '[':
        return read_array(scan, depth + 1);
    case '"':
        return read_text(scan, &text, &bytes) ? json_stringn_nocheck(text, bytes) : NULL;
    case 't':
        return skip_word(scan, "true") ? json_true() : NULL;
    case 'f':
        return skip_word(scan, "false") ? json_false() : NULL;
    case 'n':
        return skip_word(scan, "null") ? json_null() : NULL;
    default:
        return read_number(scan);
    }
}

json_t *json_rows_next(struct json_rows *rows)
{
    struct scan scan = {rows->at, rows->end};
    if (scan.at == scan.end || rows->failed)
        return NULL;
    json_error_t why;
    json_t *json = read_value(&scan, 0);
    if (!json) {
        scan.at = rows->at;
        json = parse(scan.at, (size_t)(scan.end - scan.at),
                     JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &why);
        scan.at += json ? why.position : 0; // moves past the bytes that jansson has read
    }
    // A comma must be followed by another row. Without a comma, the text must end here.
    bool more = skip_char(&scan, ',');
    rows->failed = !json || (more ? scan.at == scan.end : scan.at != scan.end);
    rows->at = scan.at;
    return json;
}
