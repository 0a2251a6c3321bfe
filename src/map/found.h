// SPDX-License-Identifier: MIT
// How the findings of `map` become results: what levels.c puts them together with.
#ifndef MAP_FOUND_H
#define MAP_FOUND_H

#include "analysis/levels.h"
#include "bench/map.h"
#include "measure/limits.h"

struct map_finder {
    struct run *run;
    struct arena *scratch;
    const struct gpu_info *device;
    const struct benchmark_info *info; // of map
    struct measure_limits limits;
};

// A new result of the run: what was found, on which path; level 0: of the path as a whole.
struct result *map_add_result(const struct map_finder *f, const char *what, const char *path,
                              size_t level);

// Nothing where the median is not finite.
void map_add_metric(const struct map_finder *f, struct result *result, enum map_metric which,
                    const struct level_height *value);

// … without an interval.
void map_add_plain(const struct map_finder *f, struct result *result, enum map_metric which,
                   double value);

// `name` is a constant's, or lives as long as the run, as `text` does.
void map_add_detail(const struct map_finder *f, struct result *result, const char *name,
                    const char *text);

// What the driver states; 0: nothing.
void map_add_claim(const struct map_finder *f, struct result *result, uint64_t bytes);

// Latency and its cycles over the points of level k.
void map_add_heights(const struct map_finder *f, struct result *result,
                     const struct level_curve *curve, size_t k);

// A number above 0; else a detail of that name, that it is unknown and why.
void map_add_told(const struct map_finder *f, struct result *result, enum map_metric which,
                  double value, const char *why);

// The latency of the map's own chain `what` with that pitch and about that region; NaN: none.
double map_probe_ns(const struct map_finder *f, const char *what, size_t level, double region,
                    uint64_t pitch);

#endif
