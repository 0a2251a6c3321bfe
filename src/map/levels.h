// SPDX-License-Identifier: MIT
// The results of a benchmark `map`, made of what a map plan measured: levels, memory, address
// translation. Ordinary results, so that report, compare and reference need nothing special.
#ifndef MAP_LEVELS_H
#define MAP_LEVELS_H

#include "gpu/gpu.h"
#include "results/results.h"

// Adds them for one device. Where a level or one of its properties cannot be told, the result says
// so: skipped with the reason, or a detail "PROPERTY" = "unknown: …".
void map_add_results(struct run *run, const struct gpu_info *device);

#endif
