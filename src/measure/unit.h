// SPDX-License-Identifier: MIT
// Runs and times work that is not a sample. Also computes three numbers: the iterations that a
// piece of work needs, the grid for a number of workgroups, and the units of work that kernels have
// done.
#ifndef MEASURE_UNIT_H
#define MEASURE_UNIT_H

#include "measure/span.h"

// Runs a dispatch alone, in its own batch and scope, and waits until it has ended. Used for kernels
// that fill or check memory, which are not timed.
MUST_CHECK bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                                 uint64_t timeout_ns, struct error *err);

// Sets *ns to the device time of one unit of work, which desc->record records. The same batch is
// submitted `runs` times, and the shortest time counts: in the first submission, drivers often
// finish their preparations and clocks are still low. Each submission has the time-out
// desc->request->timeout_ns.
MUST_CHECK bool measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                                  struct error *err);

// Returns how many iterations a piece of work should have to last wanted_ns, if `iterations` of
// them lasted took_ns. The number grows or shrinks in proportion to wanted_ns / took_ns, but by a
// factor of at least `least` and at most `most`. The result is not rounded.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// Fills in the two sizes of a grid for `groups` workgroups: grid[1] rows of grid[0] workgroups. A
// row has at most row_most workgroups (a device's workgroup_count_x; 0 means no limit). The grid
// has at most grid[1] − 1 workgroups more than `groups`.
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// Sets *units to the number of units of work that the kernels did: `count` / unit_count. The
// kernels counted `count` things, such as workgroups or additions. One unit has unit_count of them.
// Fails with ERROR_MISMATCH if the quotient is not a whole number, or is below units_least.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count, uint64_t units_least,
                                     uint64_t *units, struct error *err);

#endif
