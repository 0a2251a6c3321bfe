// SPDX-License-Identifier: MIT
// Functions for texts. They read numbers and sizes (KiB, MiB, GiB), find the name nearest to a
// misspelt one, and search and join texts. They also make texts of foreign origin safe to print,
// and read single lines of files.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the least number of changes of one letter (insert, delete, replace, or swap with a
// neighbour) that turn `a` into `b` (optimal string alignment distance, Damerau 1964). Upper and
// lower case are equal. Only the first 64 bytes of each text are compared.
size_t text_distance(const char *a, const char *b);

// Finds the name that a user probably meant by `typed`: the name with the least text_distance.
// Start with {.typed = …} and call text_guess_offer with each name. A name is accepted if its
// distance is below L and at most 1 + L / 4 (L: length of the longer text). A name that begins with
// `typed` (2 letters or more) is always accepted; its distance is at most 1.
struct text_guess {
    const char *typed;
    const char *best; // best name so far; NULL if no name is similar enough
    size_t distance;
};
void text_guess_offer(struct text_guess *guess, const char *name);

// Returns "; did you mean 'NAME'?" with the best name, or "" if there is none, for the end of an
// error message. The text lives in `arena`.
const char *text_guess_hint(struct arena *arena, const struct text_guess *guess);

// Reads the whole text as a decimal number without sign. Returns false if the text has another form
// or the number needs more than 64 bits.
bool text_parse_uint(const char *text, uint64_t *value);

// Reads the whole text as a finite number. Returns false if the text has another form.
bool text_parse_real(const char *text, double *value);

// Reads the whole text as a number of bytes: digits, optionally followed by B, KiB, MiB, GiB or TiB
// (powers of 1024). K means KiB; M, G and T mean MiB, GiB and TiB. Returns false if the text has
// another form or the number needs more than 64 bits.
bool text_parse_bytes(const char *text, uint64_t *bytes);

// Returns a size as text, in the largest unit that gives a whole number: "32 KiB", "1000 B". The
// text lives in `arena`.
const char *text_bytes(struct arena *arena, uint64_t bytes);

// Returns true if two texts are equal, or both are NULL.
bool text_same(const char *a, const char *b);

// text_begins returns true if `text` begins with `start`; text_ends returns true if `text` ends
// with `end`.
bool text_begins(const char *text, const char *start);
bool text_ends(const char *text, const char *end);

// Returns true if `text` contains `part`. Capital and small ASCII letters count as equal.
bool text_contains(const char *text, const char *part);

// Compares two texts as strcmp does, but sequences of digits as numbers: "so.9" is before "so.10".
int text_compare_versions(const char *a, const char *b);

// Returns the part of `path` after its last slash. If `path` has no slash, returns `path`.
const char *text_file_name(const char *path);

// Returns a number with its noun, which gets an "s" unless the number is 1: "1 card", "2 cards".
// The text lives in `arena`.
const char *text_count(struct arena *arena, size_t count, const char *noun);

// Returns `list`, `between` and `item` joined. The new text lives in `arena`. If `list` or `item`
// is empty, returns the other text itself.
const char *text_join(struct arena *arena, const char *list, const char *between, const char *item);

// Returns true if `item` is in the comma-separated `list` ("a,b,c"). `list` may be NULL.
bool text_list_has(const char *list, const char *item);

// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if the bytes are not
// valid.
size_t text_character(const char *text);

// Returns true for a character that may act on its surroundings: a control character, a separator
// of lines or paragraphs, or one that changes the writing direction. `bytes` is the number of bytes
// of the character (text_character), and not 0.
bool text_is_control(const char *text, size_t bytes);

// Returns a text of foreign origin, such as a driver's name, as one line that is safe to print, in
// `arena`. Characters of text_is_control become escapes ("\x1b", "\u202e"). Bytes that are not
// UTF-8 become U+FFFD. The result has fewer than bytes_max bytes, if necessary cut after a whole
// character.
const char *text_printable(struct arena *arena, const char *text, size_t bytes_max);

// Returns a text of foreign origin in a form that is safe in HTML and XML, between tags and in
// double-quoted attributes. The characters &, <, > and " become entities. Characters of
// text_is_control, including newlines, bytes that are not UTF-8, and U+FFFE and U+FFFF, which XML
// forbids, become '?'. The result lives in `arena`.
const char *text_markup(struct arena *arena, const char *text);

// Reads the first line of a file into `line`, without its newline. `bytes` is the size of `line`; a
// longer text is cut. The path of the file is made from `format`. Returns false if the file cannot
// be read or is empty, or if its path has 512 bytes or more.
bool text_read_line(char *line, size_t bytes, const char *format, ...) PRINTF_LIKE(3, 4);

// Finds the first line that begins with `key`, and copies the rest of this line to `field`. Leaves
// out blanks, quotes, ':' and '=' at the beginning of the rest; the next quote ends it. `bytes` is
// the size of `field`; a longer text is cut. Returns false if the file has no such line or cannot
// be read.
bool text_read_field(char *field, size_t bytes, const char *key, const char *format, ...)
    PRINTF_LIKE(4, 5);

#endif
