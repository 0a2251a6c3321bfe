// SPDX-License-Identifier: MIT
// What a unit of work costs in energy: the card's own counter (sensors/) read while the work is
// repeated without a pause for a second or more. It counts all that the card draws, what it draws
// idle included.
#ifndef MEASURE_ENERGY_H
#define MEASURE_ENERGY_H

#include "measure/span.h"

struct measure_energy; // a card's counter

// NULL where the card has none, or no source of sensors knows it: a normal absence.
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
    double unit_j;    // of one unit of work; NaN: the counter stood still, or said nothing usable
    double watts;     // drawn meanwhile
    double length_ns; // between the changes that were taken
    unsigned changes; // of the counter in that time
    // Half of the 95 % interval of unit_j and watts, relative: both ends are seen as much late as
    // readings lie apart, and the power scatters between the changes (its mean's t interval). NaN
    // below four changes.
    double half;
};

// Keeps the device busy with the work, two submissions in flight, until the counter has changed
// over so long a time, or for length_ns and half a second more. Errors are those of submissions.
MUST_CHECK bool measure_energy_run(const struct measure_energy_desc *desc,
                                   struct measure_energy_result *result, struct error *err);

// ---------------------------------------------------------------- from readings alone

struct energy_reading {
    uint64_t at_ns;
    double joules; // as the counter says; non-finite: it did not
    double units;  // of work finished by then
};

// From the first change of the counter to the last one: a change tells the moment to which its
// value belongs, what it says between changes does not.
void measure_energy_of(const struct energy_reading *readings, size_t count,
                       struct measure_energy_result *result);

#endif
