// SPDX-License-Identifier: MIT
// The words that stand for enumerations in run files, CSV files and keys. Words never change
// within a schema version.
#ifndef RESULTS_NAMES_H
#define RESULTS_NAMES_H

#include "results/results.h"

// The words of an enumeration, in its order.
struct words {
    const char *const *names;
    size_t count;
    const char *expected; // "lower, higher or none"; NULL: readers accept words they do not know
};

extern const struct words better_words, headline_kind_words, param_role_words, param_type_words,
    run_status_words, unit_words, verdict_words, view_kind_words;

// The place of a word; false, with *index = count, where it is not one of them.
bool words_find(const struct words *words, const char *word, unsigned *index);
const char *words_name(const struct words *words, unsigned index); // "?" beyond the last

// A value as it stands in a case key: "32768", "0.5", "vector". TEXT is not copied.
const char *case_value_text(struct arena *arena, const struct case_value *value);

enum {
    REAL_BYTES = 32
};

// The shortest decimal text that reads back as exactly `value`: "0.1".
void real_format(double value, char text[REAL_BYTES]);

#endif
