// SPDX-License-Identifier: MIT
// The words for the values of enumerations, in run files, CSV files and keys. They never change
// within a version of the schema.
#ifndef RESULTS_NAMES_H
#define RESULTS_NAMES_H

#include "results/results.h"

// The words for the values of an enumeration; names[i] is the word for the value i.
struct words {
    const char *const *names;
    size_t count;
    // Text for error messages, with the allowed words: "lower, higher or none". If it is NULL, an
    // unknown word is no error and is read as the index `count`.
    const char *expected;
};

extern const struct words better_words, card_level_words, card_section_words, check_basis_words,
    check_code_words, check_judgement_words, check_metric_words, check_verdict_words,
    headline_kind_words, param_role_words, param_type_words, run_status_words, unit_words,
    verdict_words, view_kind_words;

// Sets *index to the index of `word`. If the word is unknown, sets *index to words->count and
// returns false.
bool words_find(const struct words *words, const char *word, unsigned *index);
// Returns the word of this index; "?" if index ≥ words->count.
const char *words_name(const struct words *words, unsigned index);

// Returns a parameter's value as in a case key: "32768", "0.5", "vector". A number is written into
// `arena`. A text is returned without copying, or "" if it is NULL.
const char *case_value_text(struct arena *arena, const struct case_value *value);

// Like case_value_text, but for screens. For the text of a JSON file, returns its member "name", or
// "unnamed" if this is missing or empty.
const char *case_value_shown(struct arena *arena, const struct case_value *value);

enum {
    REAL_BYTES = 32
};

// Writes `value` with 15, 16 or 17 digits: the fewest that read back as the same number ("0.1").
void real_format(double value, char text[REAL_BYTES]);

// Shortens `exact`, the text that "%.17g" gives for `value`, to 15 or 16 digits if these read back
// as the same number.
void real_shorten(double value, char exact[REAL_BYTES]);

#endif
