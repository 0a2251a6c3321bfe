// SPDX-License-Identifier: MIT
// Work outside of samples: runs it, times it, and finds its size and its grid.
#ifndef MEASURE_UNIT_H
#define MEASURE_UNIT_H

#include "measure/span.h"

// Runs a dispatch alone, in its own batch and scope, and waits for its end. For kernels that fill
// or check memory: nothing is timed.
MUST_CHECK bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                                 uint64_t timeout_ns, struct error *err);

// Sets *ns to the device time of one unit that desc->record records in desc->scope: the shortest of
// `runs` submissions of one batch, each of at most desc->request->timeout_ns. The first one is
// often longer, because drivers finish their preparations in it and clocks are still low.
MUST_CHECK bool measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                                  struct error *err);

// Returns how many iterations (passes, repeats) should last wanted_ns, if `iterations` of them
// lasted took_ns: in proportion, but at least `least` times and at most `most` times as many. The
// result is not rounded.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// Fills a grid for `groups` workgroups: grid[1] rows of grid[0], which is at most row_most (a
// device's workgroup_count_x; 0: no limit). The grid may have a few workgroups more than `groups`.
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// Sets `units` to the units of work that the kernels did: count / unit_count. The kernels counted
// `count` things (workgroups, additions), and one unit has unit_count of them. Fails with
// ERROR_MISMATCH if that is not a whole number of units, or fewer than units_least.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count, uint64_t units_least,
                                     uint64_t *units, struct error *err);

#endif
