// SPDX-License-Identifier: MIT
// The results of a benchmark `map`, made of what a map plan measured: levels, memory, address
// translation. Ordinary results, so that report, compare and reference need nothing special.
#ifndef SUITE_MAP_RESULTS_H
#define SUITE_MAP_RESULTS_H

#include "gpu/gpu.h"
#include "results/results.h"

// Adds them for one device. Where a level or one of its properties cannot be told, the result says
// so: skipped with the reason, or a detail "PROPERTY" = "unknown: …".
void map_add_results(struct run *run, const struct gpu_info *device);

#endif
