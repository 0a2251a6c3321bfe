// SPDX-License-Identifier: MIT
// The energy of a unit of work: the card's own counter (sensors/) is read while the work is
// repeated without a pause for a second or more. It counts all that the card draws, also what it
// would draw when idle.
#ifndef MEASURE_ENERGY_H
#define MEASURE_ENERGY_H

#include "measure/span.h"

struct measure_energy; // a card's counter

// NULL if the card has no such counter, or no source of sensors has the card. That is no error.
struct measure_energy *measure_energy_open(struct arena *arena, const struct gpu_info *info);
void measure_energy_close(struct measure_energy *energy); // NULL is legal

struct measure_energy_desc {
    struct measure_energy *energy;
    struct gpu_scope *scope;
    measure_record *record; // as in measure/span.h
    void *context;
    uint64_t repeats;    // units of work in a submission of some ms, at least 1
    bool unordered;      // the units may overlap each other
    uint64_t length_ns;  // between the first and the last change of the counter, at least
    uint64_t timeout_ns; // of one submission
};

struct measure_energy_result {
    double unit_j;    // of one unit of work; NaN if the counter did not change, or not plausibly
    double watts;     // in the same time
    double length_ns; // between the first and the last change of the counter
    unsigned changes; // of the counter in that time
    // Relative half of the 95 % interval of unit_j and watts: both ends are seen late by up to the
    // time between readings, and the power scatters between the changes (the t interval of its
    // mean). NaN below four changes.
    double half;
};

// Repeats the work, with two submissions in flight, until the changes of the counter are length_ns
// apart, or for length_ns and half a second more. Errors are those of submissions.
MUST_CHECK bool measure_energy_run(const struct measure_energy_desc *desc,
                                   struct measure_energy_result *result, struct error *err);

// ---------------------------------------------------------------- from readings alone

struct energy_reading {
    uint64_t at_ns;
    double joules; // of the counter; non-finite if the reading failed
    double units;  // of work, finished until then
};

// Computes the result from the first change of the counter to the last one: only at a change is it
// known to which time the counter's value belongs.
void measure_energy_of(const struct energy_reading *readings, size_t count,
                       struct measure_energy_result *result);

#endif
