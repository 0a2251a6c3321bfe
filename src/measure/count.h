// SPDX-License-Identifier: MIT
// Hardware counters of the work that a visit times (gpu/counters.h). A counted visit first takes
// samples like every visit (nobody uses them), and then counts the same work twice: N units of it,
// and 2 N. The difference divided by N is what one unit moves and computes: costs that both runs
// have cancel, such as lines that earlier work left in the caches, parameters and the end of the
// batch.
#ifndef MEASURE_COUNT_H
#define MEASURE_COUNT_H

#include "gpu/counters.h"
#include "measure/visit.h"

struct measure_count;

// Opens the device's counters. `natives`: the vendor's names of further counters. Returns NULL with
// the error of gpu_counters_open, or of gpu_counter_set_create (a native name is not known).
struct measure_count *measure_count_open(struct gpu_device *device, const char *const *natives,
                                         size_t native_count, struct error *err);
void measure_count_close(struct measure_count *count); // NULL is legal

struct measure_count_desc {
    struct gpu_batch *once, *twice; // N and 2 N units of the same work; ready
    // Runs before each pass of `once` or `twice`. NULL: `once` and `twice` leave the caches in the
    // same state, so `once` runs only before the first pass of all.
    struct gpu_batch *before;
    double units;        // N
    uint64_t timeout_ns; // longest wait for one submission
};

// Returns the device whose counters are open.
const struct gpu_info *measure_count_info(const struct measure_count *count);

// Counts `once` and `twice`, and replaces the values of an earlier call.
MUST_CHECK bool measure_count_run(struct measure_count *count,
                                  const struct measure_count_desc *desc, struct error *err);

// What each counter should count for one unit of work, as the benchmark claims it; NaN: no claim.
// All values of measure_count_no_claims are NaN.
struct measure_count_claims {
    double of[GPU_COUNTER_COUNT];
};
extern const struct measure_count_claims measure_count_no_claims;

// Adds each finite counter of the last run to the visit, with its claim. Does nothing if the visit
// has counters already.
void measure_count_report(const struct measure_count *count,
                          const struct measure_count_claims *claims, struct measure_visit *visit);

#endif
