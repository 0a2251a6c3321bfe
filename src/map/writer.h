// SPDX-License-Identifier: MIT
// Adds to a run what a map concludes, as results of the benchmark `map`.
#ifndef MAP_WRITER_H
#define MAP_WRITER_H

#include "analysis/levels.h"
#include "bench/map.h"
#include "map/caches.h"
#include "measure/limits.h"

struct map_writer {
    struct run *run;
    struct arena *scratch;
    const struct gpu_info *device;
    const struct benchmark_info *info; // of the benchmark map
    struct measure_limits limits;
    const struct map_caches *caches; // of vector loads
};

// A new result of the run. `what` is a MAP_… text of bench/map.h. Level 0: the result is for the
// path as a whole.
struct result *map_add_result(const struct map_writer *w, const char *what, const char *path,
                              size_t level);

// Adds a metric; none if the median is not finite.
void map_add_metric(const struct map_writer *w, struct result *result, enum map_metric which,
                    const struct level_height *value);

// Adds a metric without an interval.
void map_add_plain(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value);

// Adds a detail; `name` and `text` live as long as the run.
void map_add_detail(struct result *result, const char *name, const char *text);

// Adds the detail `name` with "unknown: " and the reason.
void map_add_unknown(const struct map_writer *w, struct result *result, const char *name,
                     const char *format, ...) PRINTF_LIKE(4, 5);

// Adds a metric without an interval, if the value is above 0; otherwise a detail which says that
// the metric is unknown, with the reason `why`.
void map_add_known(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value, const char *why);

// Adds the latency of level k of a curve, in ns and in cycles: medians over the level's cases.
void map_add_heights(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k);

// The same, if the points of the level agree; else the detail "latency" with the reason why it is
// unknown.
void map_add_flat_heights(const struct map_writer *w, struct result *result,
                          const struct level_curve *curve, size_t k);

// The latency of the chain `what` of a level, with that stride and a region within 2 % of `region`
// bytes; NaN if there is none.
double map_chain_ns(const struct map_writer *w, const char *what, size_t level, double region,
                    uint64_t stride);

// True if the result is of this device and of the benchmark map, with that `what`.
bool map_is_probe(const struct map_writer *w, const struct result *result, const char *what);

// The interval of a level's size in bytes.
struct map_size {
    double low, high;
};

// Fills `sizes` with those of the levels of a curve of vector loads: where they end, as far as the
// probes of their lines show that, else down to the size with the shortest lines.
void map_level_sizes(const struct map_caches *caches, struct map_size *sizes);

// Adds all results of the device: levels, memory, translation, shared memory, caches of
// instructions. If the measurements do not show a property, the reason is given: a result is
// skipped, or has a detail "PROPERTY" = "unknown: …".
void map_add_results(struct run *run, const struct gpu_info *device);

#endif
