// SPDX-License-Identifier: MIT
// Adds the conclusions of a map to a run, as results of the benchmark `map`.
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
    const struct benchmark_info *info; // describes the benchmark map
    struct measure_limits limits;
    const struct map_caches *caches; // caches on the path of vector loads
};

// Adds a result to the run. `what` is a MAP_… text of bench/map.h. Level 0: the result is for the
// whole path.
struct result *map_add_result(const struct map_writer *w, const char *what, const char *path,
                              size_t level);

// Adds a metric with its interval. Adds nothing if the median is not finite.
void map_add_metric(const struct map_writer *w, struct result *result, enum map_metric which,
                    const struct level_height *value);

// Adds a metric without an interval.
void map_add_plain(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value);

// Adds a detail. `name` and `text` must live as long as the run.
void map_add_detail(struct result *result, const char *name, const char *text);

// Adds the detail `name` with the text "unknown: " and the formatted reason.
void map_add_unknown(const struct map_writer *w, struct result *result, const char *name,
                     const char *format, ...) PRINTF_LIKE(4, 5);

// If the value is above 0, adds it as a metric without interval. Otherwise adds a detail which says
// that the metric is unknown, with the reason `why`.
void map_add_known(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value, const char *why);

// Adds the latency of level k of a curve, in ns and in cycles: medians over the cases of the level.
void map_add_heights(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k);

// Like map_add_heights, if the points of the level agree. Otherwise adds the detail "latency" with
// the reason why it is unknown.
void map_add_flat_heights(const struct map_writer *w, struct result *result,
                          const struct level_curve *curve, size_t k);

// Returns the latency in ns of the chain `what` of a level with this stride, and with a region
// within 2 % of `region` bytes; NaN if there is none.
double map_chain_ns(const struct map_writer *w, const char *what, size_t level, double region,
                    uint64_t stride);

// True if the result is of this device and the benchmark map, and its case has this `what`.
bool map_is_probe(const struct map_writer *w, const struct result *result, const char *what);

// The interval of a level's size in bytes.
struct map_size {
    double low, high;
};

// Fills `sizes` with the interval of the size of each level of the curve of vector loads. If the
// probes of a level's line do not show its capacity, the interval reaches from the size with the
// shortest possible lines to the region where the level ends.
void map_level_sizes(const struct map_caches *caches, struct map_size *sizes);

// Adds all results of the device: levels, memory, translation, shared memory and instruction
// caches. If the measurements do not show a property, the result is skipped, or has a detail
// "PROPERTY" = "unknown: …" with the reason.
void map_add_results(struct run *run, const struct gpu_info *device);

#endif
