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
    const struct benchmark_info *info; // description of the benchmark map
    struct measure_limits limits;
    const struct map_caches *caches; // the caches that loads of the path "vector" use
};

// Adds a result of the benchmark map to the run. `what` is a MAP_… text of bench/map.h. If `level`
// is 0, the result is for the whole path.
struct result *map_add_result(const struct map_writer *w, const char *what, const char *path,
                              size_t level);

// Adds a metric with its interval to the result. Adds nothing if the median is not finite.
void map_add_metric(const struct map_writer *w, struct result *result, enum map_metric which,
                    const struct level_height *value);

// Adds a metric without an interval to the result.
void map_add_plain(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value);

// Adds a detail (an explaining text) to the result. `name` and `text` must live as long as the run.
void map_add_detail(struct result *result, const char *name, const char *text);

// Adds the detail `name` with the text "unknown: " and the formatted reason.
void map_add_unknown(const struct map_writer *w, struct result *result, const char *name,
                     const char *format, ...) PRINTF_LIKE(4, 5);

// Adds the value as a metric without an interval if the value is above 0. Otherwise adds a detail
// that the metric is unknown for the reason `why`.
void map_add_known(const struct map_writer *w, struct result *result, enum map_metric which,
                   double value, const char *why);

// Adds the latency of level k of a curve, in ns and in cycles: medians over the cases of the level.
// If more than half of these cases are suspect, the result is, too.
void map_add_heights(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k);

// Does the same as map_add_heights for the time of an instruction, from a `curve` of straight-line
// code.
void map_add_fetch_heights(const struct map_writer *w, struct result *result,
                           const struct level_curve *curve, size_t k);

// Adds the latency of level k of the path "vector" from chains over few pages at a time, to which
// address translation adds almost nothing. Returns false, and adds nothing, if the run has no such
// chains, or if they are not clearly faster than `ns`, the latency of the curve. If they are faster
// but do not agree, adds the reason why the latency is unknown.
bool map_add_local_height(const struct map_writer *w, struct result *result, size_t k, double ns);

// Adds the latency of level k: from chains over few pages at a time if they show it
// (map_add_local_height), else from the curve or from chains with one node in each line. If none of
// them shows it, adds the detail "latency" with the reason why it is unknown.
void map_add_flat_heights(const struct map_writer *w, struct result *result,
                          const struct level_curve *curve, size_t k);

// Returns the latency in ns of a chain of kind `what` and level number `level`. The chain has this
// stride, and its region differs from `region` bytes by less than 2 %. NaN if the run has no such
// chain.
double map_chain_ns(const struct map_writer *w, const char *what, size_t level, double region,
                    uint64_t stride);

// True if the result belongs to this device and the benchmark map, and is a case of kind `what`.
bool map_is_probe(const struct map_writer *w, const struct result *result, const char *what);

// Adds the conclusions of `fathom map` about a device to the run, as results: levels, memory,
// address translation, shared memory and instruction caches. If the measurements do not show a
// property, the result is skipped, or has a detail "PROPERTY" = "unknown: …" with the reason.
void map_add_results(struct run *run, const struct gpu_info *device);

#endif
