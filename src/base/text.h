// SPDX-License-Identifier: MIT
// Functions for texts: read numbers and sizes (KiB, MiB, GiB), find the name nearest to a misspelt
// one, search and join texts, make foreign texts safe to print, read the first line of a file.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns how many single letters must be inserted, deleted, changed, or swapped with their
// neighbour to turn `a` into `b` (optimal string alignment distance, Damerau 1964). Case does not
// count. Only the first 64 bytes of each text are compared.
size_t text_distance(const char *a, const char *b);

// Finds the name that was probably meant: the nearest one whose text_distance is at most 1 + a
// quarter of the longer text's length. A name that begins with the typed text, of at least 2
// letters, has distance 1 or 0. Start with {.typed = …} and call text_guess_offer with each name.
struct text_guess {
    const char *typed;
    const char *best; // best name so far; NULL: no name is near
    size_t distance;
};
void text_guess_offer(struct text_guess *guess, const char *name);

// Returns "; did you mean 'NAME'?" or "", for the end of an error message. The text lives in
// `arena`.
const char *text_guess_hint(struct arena *arena, const struct text_guess *guess);

// Reads the whole text as a decimal number without sign. Returns false if it is anything else or
// has more than 64 bits.
bool text_parse_uint(const char *text, uint64_t *value);

// Reads the whole text as a finite number. Returns false if it is anything else.
bool text_parse_real(const char *text, double *value);

// Reads the whole text as a number of bytes: digits, optionally with B, KiB, MiB, GiB or TiB (K, M,
// G and T mean the same). Units are powers of 1024. Returns false if it is anything else.
bool text_parse_bytes(const char *text, uint64_t *bytes);

// Returns the size with its largest exact unit: "32 KiB", "1000 B". The text lives in `arena`.
const char *text_bytes(struct arena *arena, uint64_t bytes);

// text_begins: true if `text` begins with `start`. text_ends: true if it ends with `end`.
bool text_begins(const char *text, const char *start);
bool text_ends(const char *text, const char *end);

// True if `text` contains `part`. Case does not count (ASCII).
bool text_contains(const char *text, const char *part);

// Returns `list`, `between` and `item` joined. If `list` or `item` is empty, returns the other one
// alone. The text lives in `arena`.
const char *text_join(struct arena *arena, const char *list, const char *between, const char *item);

// True if the comma-separated list ("a,b,c") has this item. False if `list` is NULL.
bool text_list_has(const char *list, const char *item);

// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if the bytes are not
// valid.
size_t text_character(const char *text);

// Returns a foreign text, such as a driver's name, as one line that is safe to print. Control
// characters and characters that change the writing direction become escapes ("\x1b", "\u202e");
// bytes that are not UTF-8 become U+FFFD. The result lives in `arena`; it is cut at a whole
// character to fewer than bytes_max bytes.
const char *text_printable(struct arena *arena, const char *text, size_t bytes_max);

// Returns a foreign text for use between the tags of HTML or XML, or in double quotes within a tag:
// &, <, > and " are escaped. Characters below 0x20, newlines too, become '?', because XML forbids
// most of them. The result lives in `arena`.
const char *text_markup(struct arena *arena, const char *text);

// Reads the first line of a file into `line`, without its newline, cut to `bytes`. The path is made
// from `format`. Returns false if the file cannot be opened, is empty, or its path has 512 bytes or
// more.
bool text_read_line(char *line, size_t bytes, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
