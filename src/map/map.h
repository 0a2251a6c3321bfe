// SPDX-License-Identifier: MIT
// The plan of `fathom map`. It measures latency over sizes, first coarsely, then with more sizes
// around each level's end; then the line, the sharers and the bandwidth of each level; then address
// translation and the other paths. At the end it adds what it found to the run as results of the
// benchmark `map`, which reports and `compare` treat like all other results.
#ifndef MAP_MAP_H
#define MAP_MAP_H

#include "bench/plan.h"

// The names of the benchmarks whose cases a map uses; NULL-terminated.
extern const char *const map_benchmarks[];

// Tests the settings of the request. Only clock=LIST is allowed: additional core clocks in MHz at
// which each level is measured. The highest must be at least 5 % above the lowest. ERROR_USAGE
// otherwise.
MUST_CHECK bool map_settings_check(struct arena *arena, const struct choice_request *request,
                                   struct error *err);

// Makes the plan of a map on one device, in `arena` (bench/plan.h). The plan's total number of
// cases grows while it runs. ERROR_INTERNAL if a benchmark is missing.
struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err);

#endif
