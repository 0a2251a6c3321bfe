// SPDX-License-Identifier: MIT
// Measures the energy of a unit of work: reads the card's own energy counter (sensors/) while the
// work is repeated without a pause for a second or more. The counter includes the card's idle
// power.
#ifndef MEASURE_ENERGY_H
#define MEASURE_ENERGY_H

#include "measure/span.h"

struct measure_energy; // the energy counter of a card

// Opens the energy counter of the device's card. Returns NULL, which is no error, if the card has
// no energy counter or if fathom finds no sensors of the card.
struct measure_energy *measure_energy_open(struct arena *arena, const struct gpu_info *info);
// closes the energy counter; `energy` may be NULL
void measure_energy_close(struct measure_energy *energy);

struct measure_energy_desc {
    struct measure_energy *energy;
    struct gpu_scope *scope;
    measure_record *record; // function that records the work (measure/span.h)
    void *context;
    // Number of units of work per submission, at least 1. A submission should take some ms.
    uint64_t repeats;
    bool unordered; // true if units of work may overlap each other
    // wanted time in ns between the first and the last change of the energy counter
    uint64_t length_ns;
    uint64_t timeout_ns; // maximum wait for one submission, in ns
};

// Here, changes of the energy counter are only the changes that measure_energy_of keeps.
struct measure_energy_result {
    // Joules per unit of work; NaN if not known (see measure_energy_of).
    double unit_j;
    double watts;     // mean power during length_ns, in watts; NaN if unit_j is NaN
    double length_ns; // time in ns between the first and the last change; 0 if fewer than two
    unsigned changes; // number of changes after the first one; 0 if there are fewer than two
    // Half of the 95 % interval of unit_j and of watts, relative to the value; NaN if `changes` is
    // below 4, or unit_j is NaN. It follows from the scatter of all changes around a straight line
    // of energy over time (Student's t), but is at least the delay with which the host may see a
    // change, relative to length_ns.
    double half;
    // number of units of work in all submissions together; measure_energy_of sets 0
    uint64_t ran_units;
};

// Repeats the work, with twelve submissions in flight, until the first and the last change of the
// counter are length_ns apart. Stops in any case after length_ns + 0.5 s or 4096 readings. Fails
// with the errors of batches (gpu/gpu.h).
MUST_CHECK bool measure_energy_run(const struct measure_energy_desc *desc,
                                   struct measure_energy_result *result, struct error *err);

// ---------------------------------------------------------------- computed from counter readings

struct energy_reading {
    uint64_t at_ns;
    double joules; // value of the energy counter in joules; NaN or infinite if the reading failed
    double units;  // number of units of work that had surely ended before the reading
};

// Computes `result` from the first and the last change of the energy counter, because the time of a
// value is known only at a change. The host sees a change late, by at most the time since its
// previous reading; changes at both ends that are later than the median delay are dropped. unit_j
// is NaN if fewer than two changes remain, or no energy or unit came between them.
void measure_energy_of(const struct energy_reading *readings, size_t count,
                       struct measure_energy_result *result);

#endif
