// SPDX-License-Identifier: MIT Hardware counters of the work that a visit times (gpu/counters.h). A
// counted visit first takes samples like every visit, but these samples are not used. Then it
// counts the same work twice: N units, and 2 N. The difference of the two counts, divided by N, is
// what one unit moves and computes. The subtraction removes what both runs count besides the units:
// the end of the batch, parameters, cache lines left by earlier work. If a counter is a ratio, its
// value for 2 N units is used instead.
#ifndef MEASURE_COUNT_H
#define MEASURE_COUNT_H

#include "gpu/counters.h"
#include "measure/visit.h"

struct measure_count;

// Groups of counters. A device reads few counters at once, so it runs the work in several passes.
// An H200 needs two passes for MEASURE_COUNT_MEMORY, one or two for each further group, and six for
// all groups.
enum measure_count_group {
    // All counters that belong to no other group: bytes read and written at each level (memory,
    // L2, L1), and instructions (FP16, FP32 and FP64 have their own group).
    MEASURE_COUNT_MEMORY = 1,
    MEASURE_COUNT_SHARED = 2,   // counters of accesses to shared memory
    MEASURE_COUNT_TEXTURES = 4, // counters of bytes read by texture instructions
    // Counters of floating-point instructions: one each for FP16, FP32 and FP64.
    MEASURE_COUNT_FLOATS = 8,
    // Counters that show how long the cores and the units that serve loads are busy.
    MEASURE_COUNT_UNITS = 16,
    MEASURE_COUNT_NAMED = 1 << 15 // counters that are read only if the user names them
};

// Opens the hardware counters of the device. `names` lists counters that are always read, by their
// names in GPU_COUNTERS or by the vendor's names. Returns NULL with the error of gpu_counters_open.
struct measure_count *measure_count_open(struct gpu_device *device, const char *const *names,
                                         size_t name_count, struct error *err);
void measure_count_close(struct measure_count *count); // closes the counters; `count` may be NULL

struct measure_count_desc {
    // Two batches with the same kind of work: `once` has N units of it, `twice` has 2 N.
    struct gpu_batch *once, *twice;
    // Work that runs before `once` and before `twice` in each pass, so that both find the caches in
    // the same state. If NULL, `twice` runs once before the first pass only.
    struct gpu_batch *before;
    double units;        // number of units of work in the batch `once` (N)
    uint64_t timeout_ns; // maximum wait for one submission, in ns
};

// Returns the description of the device whose counters are open.
const struct gpu_info *measure_count_info(const struct measure_count *count);

// Selects what later calls of measure_count_run count: the counters of `groups` (a sum of enum
// measure_count_group), and those named in measure_count_open. Fails with ERROR_UNSUPPORTED if the
// device has none of them, else with the error of gpu_counter_set_create.
MUST_CHECK bool measure_count_select(struct measure_count *count, unsigned groups,
                                     struct error *err);

// Counts the work of the batches `once` and `twice` with the selected counters. The values of an
// earlier call are replaced.
MUST_CHECK bool measure_count_run(struct measure_count *count,
                                  const struct measure_count_desc *desc, struct error *err);

// Predicted values of the hardware counters for one unit of a benchmark's work; NaN for a counter
// without a prediction. In measure_count_no_claims all values are NaN.
struct measure_count_claims {
    double of[GPU_COUNTER_COUNT];
};
extern const struct measure_count_claims measure_count_no_claims;

// Adds to the visit each counter that the last measure_count_run read as a finite value, together
// with its predicted value (`claims`). Does nothing if the visit already has counters.
void measure_count_report(const struct measure_count *count,
                          const struct measure_count_claims *claims, struct measure_visit *visit);

#endif
