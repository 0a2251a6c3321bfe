// SPDX-License-Identifier: MIT
// The table of all units in files. Values are scaled to kB, GB or ms only on screens, never in
// files.
#ifndef RESULTS_UNITS_H
#define RESULTS_UNITS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define UNITS(X)                                                                                   \
    X(NONE, "1")                                                                                   \
    X(NS, "ns")                                                                                    \
    X(CYCLE, "cycle") /* cycles of the core clock, mostly for work that is also measured in ns */  \
    X(BYTE, "B")                                                                                   \
    X(BYTE_PER_S, "B/s")                                                                           \
    X(BYTE_PER_CYCLE, "B/cycle")                                                                   \
    X(OP_PER_S, "op/s")                                                                            \
    X(OP_PER_CYCLE, "op/cycle")                                                                    \
    X(HZ, "Hz")                                                                                    \
    X(WATT, "W")                                                                                   \
    X(JOULE, "J")                                                                                  \
    X(DEGC, "degC")

enum unit {
#define X(name, text) UNIT_##name,
    UNITS(X)
#undef X
    UNIT_COUNT,
    // FLOP/s, a unit that only screens show. Files have op/s for floating-point operations, too.
    UNIT_FLOP_PER_S = UNIT_COUNT,
    UNIT_SHOWN_COUNT
};

const char *unit_name(enum unit unit); // returns a text such as "B/s"

// Writes a value for people, scaled, with the digits of number_format ("4.614 TB/s", "281.3 ns").
// For B and "1", zeros at the end of a fraction are left out ("32 KiB"). B is scaled by 1024 (KiB,
// MiB, GiB), "1" and degC are not scaled, all other units are scaled by 1000. Writes at most
// `bytes` bytes, including the NUL, and returns `text`. A value that is not finite gives "–".
const char *unit_format(double value, enum unit unit, char *text, size_t bytes);

// Like unit_format, but the text lives in `arena`.
const char *unit_text(struct arena *arena, double value, enum unit unit);

// unit_scale and number_format are the two steps of unit_format, for tables that show the unit only
// in the head of a column. unit_scale returns the scaled value and sets *name to its unit ("" for
// UNIT_NONE).
double unit_scale(double value, enum unit unit, const char **name);

// Writes a number to `text` and returns `text`. A number from 0.1 to 1000 has four significant
// digits. A larger number has no fraction; a smaller one has five decimals, but 0 is "0". From 1e15
// on, and below 1e-4, the number has an exponent. The sign does not count.
const char *number_format(double value, char *text, size_t bytes);

#endif
