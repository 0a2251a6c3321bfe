// SPDX-License-Identifier: MIT
// The grammar of parameter values, for --set and for the presets that benchmarks declare:
//
//   VALUES = PART[,PART…]      PART = VALUE | A..B[/N] | A..B+S
//
// - A..B has N values per octave (1 without /N): A, A·2^(1/N), A·2^(2/N) … and B itself. The values
//   between A·2^k and A·2^(k+1) are rounded: BYTES to a multiple of 1/64 of the power of two below
//   (at least to whole bytes), UINT to the nearest integer.
// - A..B+S has steps of S: A, A+S, A+2·S … and B itself. Only BYTES and UINT allow this form.
// - BYTES allow the units KiB, MiB, GiB and TiB.
// - The word "max" means the most that the device allows. BYTES and UINT allow this word if
//   param_info.takes_max is true. It is stored as UINT64_MAX, and the benchmark replaces it. A..max
//   ends in UINT64_MAX; its other values go up to param_info.most, unless that is 0.
// - A TEXT that begins with '{' is the content of a file. It is one value, even if it contains
//   commas.
#ifndef BENCH_VALUES_H
#define BENCH_VALUES_H

#include "results/results.h"

enum {
    VALUES_MAX = 4096 // maximum number of values of one parameter
};

struct value_list {
    struct case_value *values; // values in the order of the text, without duplicates
    size_t count, capacity;
};

// Parses `text` as values of `param`. Fails with ERROR_USAGE if a part is wrong, or if there are
// more than VALUES_MAX values. The message names the wrong part and says what is allowed.
MUST_CHECK bool values_parse(struct arena *arena, const struct param_info *param, const char *text,
                             struct value_list *list, struct error *err);

#endif
