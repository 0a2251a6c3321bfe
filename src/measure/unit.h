// SPDX-License-Identifier: MIT
// One unit of work outside of samples: how to run it, time it, make it larger and shape its grid.
#ifndef MEASURE_UNIT_H
#define MEASURE_UNIT_H

#include "measure/span.h"

// Runs a dispatch alone, in a batch and a scope of its own, and waits for it. For kernels that fill
// memory or check it: nothing is timed.
MUST_CHECK bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                                 uint64_t timeout_ns, struct error *err);

struct measure_unit {
    struct gpu_scope *scope; // of the batch
    measure_record *record;  // is asked for one unit
    void *context;
    uint64_t timeout_ns; // of one submission
};

// Device time of one unit: the shortest of `runs` submissions of one batch. The first run of a
// program may wait for much else, and clocks are low then.
MUST_CHECK bool measure_unit_time(const struct measure_unit *unit, unsigned runs, double *ns,
                                  struct error *err);

// Iterations (or passes, or repeats) that should last wanted_ns, where `iterations` lasted took_ns:
// in proportion, but not less than `least` and not more than `most` times as many. Not rounded.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// A grid for that many workgroups in rows of at most `row_most` (a device's workgroup_count_x; 0 =
// no limit): grid[0] a row, grid[1] rows. The rows may hold some workgroups more.
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// How many whole units the kernels' count of their workgroups (or additions, or whatever a unit has
// unit_count of) comes to. ERROR_MISMATCH where it is not a whole number of units, or fewer than
// units_least.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count, uint64_t units_least,
                                     uint64_t *units, struct error *err);

#endif
