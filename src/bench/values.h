// SPDX-License-Identifier: MIT
// The grammar of parameter values, for --set and for the presets that benchmarks declare:
//
//   VALUES = PART[,PART…]      PART = VALUE | A..B[/N] | A..B+S
//
// A..B is every point from A to B with N points an octave (1 without /N): A, A·2^(1/N), A·2^(2/N) …
// and B itself. Bytes between octaves are rounded to multiples of 1/64 of the octave they lie in,
// whole numbers to the nearest. A..B+S is every point from A to B in steps of S: A, A+S, A+2·S …
// and B itself (BYTES and UINT). BYTES take KiB, MiB, GiB, TiB; BYTES and UINT take `max` for what
// the device allows, which is UINT64_MAX here (in a range: the octaves up to 2^63, then
// UINT64_MAX), for the benchmark to clamp.
#ifndef BENCH_VALUES_H
#define BENCH_VALUES_H

#include "results/results.h"

enum {
    VALUES_MAX = 4096 // of one parameter
};

struct value_list {
    struct case_value *values; // in the order given, none twice
    size_t count, capacity;
};

// Parses `text` as values of `param`. ERROR_USAGE names the bad part and what would do (for TEXT:
// the choices, and the nearest one).
MUST_CHECK bool values_parse(struct arena *arena, const struct param_info *param, const char *text,
                             struct value_list *list, struct error *err);

#endif
