// SPDX-License-Identifier: MIT
// Finds out whether values belong to two states, for example to two paths that the same work takes.
// Noise of one state, also with heavy tails, leaves no wide gap among the values.
#ifndef MATH_STATES_H
#define MATH_STATES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    // Fewer values never have two states, because noise often leaves gaps in them.
    STATES_VALUES_LEAST = 20
};

struct states {
    size_t low_count; // number of values in the lower state
    double low, high; // medians of the values in the lower state, and in the higher one
};

// Returns true and fills `states` if the values belong to two states: each has at least a fifth of
// the values, and the gap between the states is at least 1.25 times the wider of their spreads
// (stats_spread). In at most 1 % of all sets, independent values of one state are taken for two;
// tests/unit/test_states.c checks this. Sorts `values`.
bool states_find(double *values, size_t count, struct states *states);

#endif
