// SPDX-License-Identifier: MIT
// `fathom map` without a device: a function makes up the results of its cases.
#ifndef FAKES_MAP_RUN_H
#define FAKES_MAP_RUN_H

#include "gpu/info.h"
#include "results/results.h"

// A discrete GPU "vulkan:0" with all capabilities but VIRTUAL_TIME. It states no cache, and
// limits.cores is 0.
struct gpu_info map_run_device(void);

// Gives the result of a case its metrics, in `arena`. `index`: the case's number in the plan.
typedef void map_run_answer(void *context, struct arena *arena, size_t index,
                            struct result *result);

// Returns the run of a map that ends after `most` cases, with its findings. *cases: how many cases
// it asked for. The caller destroys the run.
struct run *map_run(const struct gpu_info *device, map_run_answer *answer, void *context,
                    size_t most, size_t *cases);

#endif
