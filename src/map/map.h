// SPDX-License-Identifier: MIT
// `fathom map` as a plan: latency over sizes, coarse first; then more sizes where a level ends;
// then what each level found asks for: probes of its line, its bandwidth; then address translation
// and the other paths. What it found it adds to the run as results of the benchmark `map`, so that
// reports, `compare` and reference runs need nothing special.
#ifndef MAP_MAP_H
#define MAP_MAP_H

#include "bench/plan.h"

enum {
    MAP_BENCHMARKS_MAX = 5
};

// The benchmarks that it takes cases of; NULL-ended.
extern const char *const map_benchmarks[MAP_BENCHMARKS_MAX];

// ERROR_USAGE unless every setting is clock=LIST, the core clocks in MHz at which each level is
// measured too, and the clocks of a list are far enough apart.
MUST_CHECK bool map_settings_check(struct arena *arena, const struct choice_request *request,
                                   struct error *err);

// Makes the plan of a map on one device, in `arena` (bench/plan.h). Its total grows as it goes on.
// ERROR_INTERNAL if a benchmark is missing.
struct plan *map_plan_create(struct arena *arena, const struct choice_request *request,
                             const struct gpu_info *device, struct run *run, struct error *err);

#endif
