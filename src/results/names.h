// SPDX-License-Identifier: MIT
// The words that stand for enumerations in run files, CSV files and keys. Names never change
// within a schema version.
#ifndef RESULTS_NAMES_H
#define RESULTS_NAMES_H

#include "results/results.h"

const char *better_name(enum better better);        // "lower", "higher", "none"
const char *param_role_name(enum param_role role);  // "axis", "method", "display"
const char *param_type_name(enum param_type type);  // "uint", "bytes", "real", "text"
const char *view_kind_name(enum view_kind kind);    // "curve", "bars", "heatmap", …
const char *run_status_name(enum run_status state); // "running", "complete", "interrupted"

// False where the word is not one of them.
bool better_from_name(const char *name, enum better *better);
bool param_role_from_name(const char *name, enum param_role *role);
bool param_type_from_name(const char *name, enum param_type *type);
bool view_kind_from_name(const char *name, enum view_kind *kind);
bool run_status_from_name(const char *name, enum run_status *state);
bool verdict_from_name(const char *name, enum verdict *verdict);

// A value as it stands in a case key: "32768", "0.5", "vector". TEXT is not copied.
const char *case_value_text(struct arena *arena, const struct case_value *value);

enum {
    REAL_BYTES = 32
};

// The shortest decimal text that reads back as exactly `value`: "0.1".
void real_format(double value, char text[REAL_BYTES]);

#endif
