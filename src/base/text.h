// SPDX-License-Identifier: MIT
// Text that people type and that small files hold: numbers that must be whole and in range, sizes
// with KiB, MiB and GiB, the right name for a misspelt one, the line of a one-line file.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How many single letters must be put in, left out, changed or swapped with their neighbour to
// make `b` of `a`; letter case does not count. (Optimal string alignment distance: Damerau 1964.)
// Texts beyond 64 bytes are compared by their first 64.
size_t text_distance(const char *a, const char *b);

// The name nearest to what was typed, if it is near enough to be meant (at most 1 + a quarter of
// the longer one's letters wrong, or it begins with what was typed); NULL otherwise. Keeps the best
// over several calls: start from {.typed = …}.
struct text_guess {
    const char *typed;
    const char *best; // NULL: nothing near yet
    size_t distance;
};
void text_guess_offer(struct text_guess *guess, const char *name);

// "; did you mean NAME?" or "" — to end an error message with. In `arena`.
const char *text_guess_hint(struct arena *arena, const struct text_guess *guess);

// The whole text as a decimal number without sign; false where it is anything else or does not
// fit.
bool text_parse_uint(const char *text, uint64_t *value);

// The whole text as a finite number.
bool text_parse_real(const char *text, double *value);

// The whole text as bytes: digits, or digits with KiB, MiB, GiB or TiB (K, M, G, T for short;
// always powers of 1024), or B.
bool text_parse_bytes(const char *text, uint64_t *bytes);

// "32 KiB" where that is exact, else the number of bytes. In `arena`.
const char *text_bytes(struct arena *arena, uint64_t bytes);

// True where `text` begins with `start`.
bool text_begins(const char *text, const char *start);

// True where `part` stands in `text`, letter case aside (ASCII).
bool text_contains(const char *text, const char *part);

// `list`, then `between`, then `item`; if one of the two is empty, the other one alone. In `arena`.
const char *text_join(struct arena *arena, const char *list, const char *between, const char *item);

// True if the list "a,b,c" has that item; false for NULL.
bool text_list_has(const char *list, const char *item);

// Reads the first line of a file into `line`, without its newline, cut to what fits. The path is
// made from `format`. False if the file cannot be opened, is empty, or its path has 512 bytes or
// more.
bool text_read_line(char *line, size_t bytes, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
