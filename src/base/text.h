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
// neighbour to turn `a` into `b` (optimal string alignment distance, Damerau 1964). Upper and lower
// case are equal. Only the first 64 bytes of each text are compared.
size_t text_distance(const char *a, const char *b);

// Finds the name that a user probably meant who typed `typed`: the name with the smallest
// text_distance to `typed`. That distance must be at most 1 + a quarter of the length of the longer
// of the two texts, and less than that length. Exception: a name that begins with `typed` is always
// near enough if `typed` has at least 2 letters; its distance counts as 1 at most. Start with
// {.typed = …} and call text_guess_offer with each name.
struct text_guess {
    const char *typed;
    const char *best; // best name so far; NULL: no name is similar enough
    size_t distance;
};
void text_guess_offer(struct text_guess *guess, const char *name);

// Returns "; did you mean 'NAME'?" or "", for the end of an error message. The text lives in
// `arena`.
const char *text_guess_hint(struct arena *arena, const struct text_guess *guess);

// Reads the whole text as a decimal number without sign. Returns false if the text is anything else
// or the number needs more than 64 bits.
bool text_parse_uint(const char *text, uint64_t *value);

// Reads the whole text as a finite number. Returns false if the text is anything else.
bool text_parse_real(const char *text, double *value);

// Reads the whole text as a number of bytes: digits, optionally with B, KiB, MiB, GiB or TiB (K, M,
// G and T mean the same). Units are powers of 1024. Returns false if the text is anything else.
bool text_parse_bytes(const char *text, uint64_t *bytes);

// Returns a size as text, in the largest unit that gives a whole number: "32 KiB", "1000 B". The
// text lives in `arena`.
const char *text_bytes(struct arena *arena, uint64_t bytes);

// text_begins: true if `text` begins with `start`. text_ends: true if it ends with `end`.
bool text_begins(const char *text, const char *start);
bool text_ends(const char *text, const char *end);

// True if `text` contains `part`. Capital and small ASCII letters are equal.
bool text_contains(const char *text, const char *part);

// Returns a number with its noun, which gets an "s" unless the number is 1: "1 card", "2 cards".
// The text lives in `arena`.
const char *text_count(struct arena *arena, size_t count, const char *noun);

// Returns `list`, `between` and `item` joined. If `list` or `item` is empty, returns only the text
// that is not empty. The text lives in `arena`.
const char *text_join(struct arena *arena, const char *list, const char *between, const char *item);

// True if the comma-separated list ("a,b,c") has this item. False if `list` is NULL.
bool text_list_has(const char *list, const char *item);

// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if the bytes are not
// valid.
size_t text_character(const char *text);

// Returns a foreign text, such as a driver's name, as one line that is safe to print. Control
// characters and characters that change the writing direction become escapes ("\x1b", "\u202e").
// Bytes that are not UTF-8 become U+FFFD. The result lives in `arena`. It has fewer than bytes_max
// bytes; a longer text is cut after a whole character.
const char *text_printable(struct arena *arena, const char *text, size_t bytes_max);

// Returns a foreign text in a form that is safe in HTML or XML, between tags or in double quotes
// within a tag: &, <, > and " are escaped. Characters below 0x20, also newlines, become '?',
// because XML forbids most of them. The result lives in `arena`.
const char *text_markup(struct arena *arena, const char *text);

// Reads the first line of a file into `line`, without its newline, cut to `bytes`. The path is made
// from `format`. Returns false if the file cannot be opened, is empty, or its path has 512 bytes or
// more.
bool text_read_line(char *line, size_t bytes, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
