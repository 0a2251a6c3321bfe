// SPDX-License-Identifier: MIT
// Hardware counters of the work that a visit times (gpu/counters.h). A counted visit first takes
// samples like every visit, which are not used. Then it counts the same work twice: N units of it,
// and 2 N. The difference divided by N is what one unit moves and computes; of counters that are
// ratios, only the value of 2 N is used. Costs that both runs have cancel in it, such as cache
// lines left by earlier work, parameters and the end of the batch.
#ifndef MEASURE_COUNT_H
#define MEASURE_COUNT_H

#include "gpu/counters.h"
#include "measure/visit.h"

struct measure_count;

// Opens the device's counters. `natives` are the vendor's names of further counters. Returns NULL
// with the error of gpu_counters_open, or of gpu_counter_set_create if a native name is not known.
struct measure_count *measure_count_open(struct gpu_device *device, const char *const *natives,
                                         size_t native_count, struct error *err);
void measure_count_close(struct measure_count *count); // accepts NULL

struct measure_count_desc {
    struct gpu_batch *once, *twice; // N and 2 N units of the same work, ready to be submitted
    // Work to be run before each pass of `once` or `twice`. NULL: `once` and `twice` leave the
    // caches in the same state, so `once` is run before the very first pass only.
    struct gpu_batch *before;
    double units;        // N, the number of units of work in `once`
    uint64_t timeout_ns; // longest wait for one submission
};

// Returns the device whose counters are open.
const struct gpu_info *measure_count_info(const struct measure_count *count);

// Counts the work of `once` and `twice`. The values of an earlier call are replaced.
MUST_CHECK bool measure_count_run(struct measure_count *count,
                                  const struct measure_count_desc *desc, struct error *err);

// What each counter should count for one unit of work, according to the benchmark. NaN: the
// benchmark claims nothing. In measure_count_no_claims all values are NaN.
struct measure_count_claims {
    double of[GPU_COUNTER_COUNT];
};
extern const struct measure_count_claims measure_count_no_claims;

// Adds each counter of the last run that has a finite value to the visit, with its claim. Does
// nothing if the visit already has counters.
void measure_count_report(const struct measure_count *count,
                          const struct measure_count_claims *claims, struct measure_visit *visit);

#endif
