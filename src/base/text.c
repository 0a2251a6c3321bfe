// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes string.h declare strverscmp
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    DISTANCE_BYTES_MAX = 64,
    PATH_BYTES = 512
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int folded(char letter)
{
    return tolower((unsigned char)letter);
}

size_t text_distance(const char *a, const char *b)
{
    // rows i − 2, i − 1 and i of the table of edit distances (dynamic programming)
    size_t rows[3][DISTANCE_BYTES_MAX + 1];
    size_t a_length = smaller(strlen(a), DISTANCE_BYTES_MAX);
    size_t b_length = smaller(strlen(b), DISTANCE_BYTES_MAX);
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        before[j] = 0;
        last[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = smaller(last[j - 1] + !same, smaller(last[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
            if (swapped)
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

static bool is_beginning(const char *name, const char *typed)
{
    size_t length = strlen(typed);
    return length >= 2 && strncasecmp(name, typed, length) == 0;
}

void text_guess_offer(struct text_guess *guess, const char *name)
{
    size_t distance = text_distance(guess->typed, name);
    size_t longer = strlen(guess->typed) > strlen(name) ? strlen(guess->typed) : strlen(name);
    if (is_beginning(name, guess->typed))
        distance = smaller(distance, 1);
    else if (distance > 1 + longer / 4 || distance >= longer)
        return;
    if (guess->best && distance >= guess->distance)
        return;
    guess->best = name;
    guess->distance = distance;
}

const char *text_guess_hint(struct arena *arena, const struct text_guess *guess)
{
    return guess->best ? arena_printf(arena, "; did you mean '%s'?", guess->best) : "";
}

static bool parse_digits(const char *text, uint64_t *value, const char **end)
{
    if (!isdigit((unsigned char)*text))
        return false; // blanks and signs are refused, although strtoull would accept them
    char *stop;
    errno = 0;
    unsigned long long number = strtoull(text, &stop, 10);
    if (errno || number > UINT64_MAX)
        return false;
    *value = number;
    *end = stop;
    return true;
}

bool text_parse_uint(const char *text, uint64_t *value)
{
    const char *end;
    uint64_t number;
    if (!parse_digits(text, &number, &end) || *end)
        return false;
    *value = number;
    return true;
}

bool text_parse_real(const char *text, double *value)
{
    if (*text == '\0' || isspace((unsigned char)*text))
        return false;
    char *end;
    double number = strtod(text, &end);
    if (*end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool text_parse_bytes(const char *text, uint64_t *bytes)
{
    static const char prefixes[] = "KMGT";
    const char *end;
    uint64_t number;
    if (!parse_digits(text, &number, &end))
        return false;
    unsigned shift = 0;
    if (*end && strcmp(end, "B") != 0) {
        const char *prefix = strchr(prefixes, toupper((unsigned char)*end));
        if (!prefix || (end[1] && strcasecmp(end + 1, "iB") != 0))
            return false;
        shift = 10 * (unsigned)(prefix - prefixes + 1);
    }
    if (number > UINT64_MAX >> shift)
        return false;
    *bytes = number << shift;
    return true;
}

const char *text_bytes(struct arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    return arena_printf(arena, "%" PRIu64 " %s", bytes, units[unit]);
}

bool text_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool text_begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int text_compare_versions(const char *a, const char *b)
{
    return strverscmp(a, b);
}

const char *text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool text_ends(const char *text, const char *end)
{
    size_t text_bytes = strlen(text), end_bytes = strlen(end);
    return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

bool text_contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return length == 0;
}

const char *text_count(struct arena *arena, size_t count, const char *noun)
{
    return arena_printf(arena, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

const char *text_join(struct arena *arena, const char *list, const char *between, const char *item)
{
    if (!*list || !*item)
        return *list ? list : item;
    return arena_printf(arena, "%s%s%s", list, between, item);
}

bool text_list_has(const char *list, const char *item)
{
    size_t length = strlen(item);
    while (list && *list) {
        size_t one = strcspn(list, ",");
        if (one == length && strncmp(list, item, length) == 0)
            return true;
        list += one;
        list += *list == ',';
    }
    return false;
}

// Accepts the byte sequences of table 3-7 of the Unicode Standard, which excludes overlong forms,
// surrogates, and characters above U+10FFFF.
size_t text_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    size_t bytes = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    unsigned char least = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
    if (c[0] < 0xC2 || c[0] > 0xF4 || c[1] < least || c[1] > most)
        return 0;
    for (size_t i = 2; i < bytes; i++)
        if (c[i] < 0x80 || c[i] > 0xBF)
            return 0;
    return bytes;
}

// Returns the code of a character below U+10000. Returns UINT32_MAX for a higher character, and for
// bytes that are not UTF-8.
static unsigned code_of(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    return bytes == 1   ? c[0]
           : bytes == 2 ? (c[0] & 0x1Fu) << 6 | (c[1] & 0x3Fu)
           : bytes == 3 ? (c[0] & 0xFu) << 12 | (c[1] & 0x3Fu) << 6 | (c[2] & 0x3Fu)
                        : UINT32_MAX;
}

bool text_is_control(const char *text, size_t bytes)
{
    unsigned code = code_of(text, bytes);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Writes the printable form of a character to `shown`. `bytes` is 0 if it is not valid UTF-8.
static void show_character(const char *text, size_t bytes, char shown[8])
{
    unsigned code = code_of(text, bytes);
    if (bytes == 0)
        snprintf(shown, 8, "\xef\xbf\xbd");
    else if (!text_is_control(text, bytes))
        snprintf(shown, 8, "%.*s", (int)bytes, text);
    else if (code < 0x80)
        snprintf(shown, 8, "\\x%02x", code);
    else
        snprintf(shown, 8, "\\u%04x", code & 0xFFFFu);
}

const char *text_printable(struct arena *arena, const char *text, size_t bytes_max)
{
    size_t most = 6 * strlen(text) + 1, used = 0; // \u202e, the longest escape, has 6 bytes
    most = smaller(most, bytes_max);
    char *printable = arena_alloc(arena, most);
    while (*text) {
        size_t bytes = text_character(text);
        char shown[8];
        show_character(text, bytes, shown);
        size_t length = strlen(shown);
        if (used + length >= most)
            break;
        memcpy(printable + used, shown, length + 1);
        used += length;
        text += bytes ? bytes : 1;
    }
    return printable;
}

const char *text_markup(struct arena *arena, const char *text)
{
    char *to = arena_alloc(arena, strlen(text) * 6 + 1), *end = to;
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = text_character(text);
        const char *shown = *text == '&'   ? "&amp;"
                            : *text == '<' ? "&lt;"
                            : *text == '>' ? "&gt;"
                            : *text == '"' ? "&quot;"
                                           : NULL;
        unsigned code = code_of(text, bytes);
        if (bytes == 0 || text_is_control(text, bytes) || code == 0xFFFE || code == 0xFFFF)
            shown = "?";
        size_t length = shown ? strlen(shown) : bytes;
        memcpy(end, shown ? shown : text, length);
        end += length;
    }
    *end = '\0';
    return to;
}

// Opens the file whose path is made from `format`. Returns NULL if the file cannot be opened or the
// path is too long.
static FILE *open_path(const char *format, va_list args)
{
    char path[PATH_BYTES];
    int length = vsnprintf(path, sizeof path, format, args);
    return length > 0 && length < PATH_BYTES ? fopen(path, "r") : NULL;
}

bool text_read_line(char *line, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    FILE *file = open_path(format, args);
    va_end(args);
    if (!file)
        return false;
    bool read = fgets(line, (int)bytes, file) != NULL;
    fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

bool text_read_field(char *field, size_t bytes, const char *key, const char *format, ...)
{
    char line[1024];
    bool found = false;
    va_list args;
    va_start(args, format);
    FILE *file = open_path(format, args);
    va_end(args);
    while (file && !found && fgets(line, sizeof line, file))
        if (text_begins(line, key)) {
            const char *at = line + strlen(key);
            at += strspn(at, " \t:=\"");
            snprintf(field, bytes, "%.*s", (int)strcspn(at, "\"\n"), at);
            found = true;
        }
    if (file)
        fclose(file);
    return found;
}
