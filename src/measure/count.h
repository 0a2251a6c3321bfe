// SPDX-License-Identifier: MIT
// Hardware counters of the work that a visit times (gpu/counters.h). A counted visit first makes
// its samples as every visit does, which nobody uses, and then counts the same work twice: N units
// of it, and 2 N. The difference divided by N is what one unit moves and computes: what both runs
// have in common cancels, such as lines that the work before left in the caches, parameters and the
// end of the batch.
#ifndef MEASURE_COUNT_H
#define MEASURE_COUNT_H

#include "gpu/counters.h"
#include "measure/visit.h"

struct measure_count;

// Opens the device's counters. `natives`: vendor's names to count beside the neutral ones. NULL
// with ERROR_UNSUPPORTED as gpu_counters_open, or if a native name is not known.
struct measure_count *measure_count_open(struct gpu_device *device, const char *const *natives,
                                         size_t native_count, struct error *err);
void measure_count_close(struct measure_count *count); // NULL is legal

struct measure_count_desc {
    struct gpu_batch *once, *twice; // N and 2 N units of the same work; ready
    struct gpu_batch *before;       // runs before each pass of both; NULL: `once`
    double units;                   // N
    uint64_t timeout_ns;            // longest wait for one submission
};

// The device of the counters.
const struct gpu_info *measure_count_info(const struct measure_count *count);

// Counts both batches. Replaces what an earlier call has counted.
MUST_CHECK bool measure_count_run(struct measure_count *count,
                                  const struct measure_count_desc *desc, struct error *err);

// The claims of one unit of work, by counter; NaN: none. measure_count_no_claims has none.
struct measure_count_claims {
    double of[GPU_COUNTER_COUNT];
};
extern const struct measure_count_claims measure_count_no_claims;

// Adds to the visit what the last run counted, beside the claims. Does nothing if the visit has
// counters already.
void measure_count_report(const struct measure_count *count,
                          const struct measure_count_claims *claims, struct measure_visit *visit);

#endif
