// SPDX-License-Identifier: MIT
// The plan of `fathom map`: latency over sizes, coarse first; then more sizes where a level ends;
// then what each level found asks for: probes of its line, its bandwidth; then address translation
// and the other paths.
#ifndef SUITE_MAP_PLAN_H
#define SUITE_MAP_PLAN_H

#include "suite/plan.h"

enum {
    MAP_BENCHMARKS_MAX = 5
};

// The benchmarks that it takes cases of; NULL-ended.
extern const char *const map_benchmarks[MAP_BENCHMARKS_MAX];

// A plan for one device; total grows as it goes on. ERROR_INTERNAL where a benchmark is missing.
struct plan *plan_map_create(struct arena *arena, const struct gpu_info *device, struct error *err);

// Core clocks by which it shall also measure each level; they live as long as the plan. To be said
// before its first case is taken.
void plan_map_ask_clocks(struct plan *plan, const double *hz, size_t count);

#endif
