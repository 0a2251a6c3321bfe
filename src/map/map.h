// SPDX-License-Identifier: MIT
// The plan of `fathom map`. It measures in this order: the latency over sizes, first coarsely, then
// around the end of each level; the line, the size and the ways of each level, and how many cores
// share the level; bandwidth; address translation; other paths of loads, and the banks of shared
// memory; instruction caches; latencies at the core clocks that the user asked for. At the end it
// adds its conclusions to the run, as results of the benchmark `map`. Reports and `compare` treat
// them like all other results.
#ifndef MAP_MAP_H
#define MAP_MAP_H

#include "bench/plan.h"

// Names of the benchmarks whose cases a map uses. The list ends with NULL.
extern const char *const map_benchmarks[];

// Checks the user's settings (--set) for `fathom map`. Only clock=LIST is allowed. It lists core
// clocks at which each level is measured in addition. LIST has up to 16 clocks from 1 to 100000
// MHz, and the highest is at least 5 % above the lowest. Fails with ERROR_USAGE otherwise.
MUST_CHECK bool map_settings_check(struct arena *arena, const struct choice_request *request,
                                   struct error *err);

// Makes the plan of `fathom map` for one device, in `arena` (bench/plan.h). The plan's total number
// of cases grows while the plan runs, as results suggest further cases. Returns NULL with
// ERROR_INTERNAL if a benchmark is missing, or with ERROR_USAGE if the settings are wrong.
struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err);

#endif
