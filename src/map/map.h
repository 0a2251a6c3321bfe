// SPDX-License-Identifier: MIT
// The plan of `fathom map`. It measures latency over sizes, first coarsely, then with more sizes
// where a level ends; then the line, the sharers and the bandwidth of each level found; then
// address translation and the other paths. At the end it adds what it found to the run as results
// of the benchmark `map`, which reports and `compare` treat as any other.
#ifndef MAP_MAP_H
#define MAP_MAP_H

#include "bench/plan.h"

// The names of the benchmarks whose cases it uses; NULL-ended.
extern const char *const map_benchmarks[];

// Tests the settings of the request: only clock=LIST is allowed, the core clocks in MHz at which
// each level is measured as well, and the clocks must be at least 5 % apart. ERROR_USAGE otherwise.
MUST_CHECK bool map_settings_check(struct arena *arena, const struct choice_request *request,
                                   struct error *err);

// Makes the plan of a map on one device, in `arena` (bench/plan.h). Its total grows as it goes on.
// ERROR_INTERNAL if a benchmark is missing.
struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err);

#endif
