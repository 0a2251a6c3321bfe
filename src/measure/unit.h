// SPDX-License-Identifier: MIT
// Work outside of samples: runs it, times it, sizes it and shapes its grid.
#ifndef MEASURE_UNIT_H
#define MEASURE_UNIT_H

#include "measure/span.h"

// Runs a dispatch alone, in a batch and a scope of its own, and waits for its end. For kernels that
// fill memory or check it: nothing is timed.
MUST_CHECK bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                                 uint64_t timeout_ns, struct error *err);

struct measure_unit {
    struct gpu_scope *scope; // of the batch
    measure_record *record;  // records one unit
    void *context;
    uint64_t timeout_ns; // of one submission
};

// Device time of one unit: the shortest of `runs` submissions of one batch. The first one is often
// longer, because drivers finish their preparations in it and clocks are low.
MUST_CHECK bool measure_unit_time(const struct measure_unit *unit, unsigned runs, double *ns,
                                  struct error *err);

// How many iterations (passes, repeats) should last wanted_ns, if `iterations` lasted took_ns: in
// proportion, but at least `least` times and at most `most` times as many. Not rounded.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// Fills a grid for `groups` workgroups: grid[1] rows of grid[0], which is at most row_most (a
// device's workgroup_count_x; 0 = no limit). The grid may hold a few workgroups more.
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// Sets `units` to count / unit_count: the units that the kernels did, by their own count of what a
// unit has unit_count of (workgroups, additions). ERROR_MISMATCH if the count is not a whole number
// of units, or the units are fewer than units_least.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count, uint64_t units_least,
                                     uint64_t *units, struct error *err);

#endif
