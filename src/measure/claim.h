// SPDX-License-Identifier: MIT
// The claim is what a benchmark states about one unit of timed work: how many bytes it moves at
// each level of memory, and how many results it computes. Metrics and their limits are both
// computed from the claim, so both describe the same work.
#ifndef MEASURE_CLAIM_H
#define MEASURE_CLAIM_H

#include "measure/count.h"
#include "measure/limits.h"
#include "measure/span.h"

enum measure_level {
    MEASURE_DRAM,
    MEASURE_CACHE,      // cache shared by all cores (L2); its highest bandwidth is not known
    MEASURE_CORE_CACHE, // each core's own cache (L1)
    MEASURE_SHARED,
    MEASURE_LINK, // link to the host, where reads and writes do not share the bandwidth
    MEASURE_LEVEL_COUNT
};

// Kinds of arithmetic. A claim (struct measure_claim) states the number of results of each kind.
// struct measure_limits says what counts as one result.
enum measure_class {
    MEASURE_FP32,
    MEASURE_FP64,
    MEASURE_FP16,
    MEASURE_INT32_MAD,
    MEASURE_FP16_MATRIX,
    MEASURE_FP8_MATRIX,
    MEASURE_OTHER, // any other arithmetic unit; its highest rate is not known
    MEASURE_CLASS_COUNT
};

struct measure_claim {
    // Bytes that one unit of work reads and writes at each level. At MEASURE_LINK, the device reads
    // these bytes from the host and writes them to the host.
    double read_bytes[MEASURE_LEVEL_COUNT];
    double written_bytes[MEASURE_LEVEL_COUNT];
    double results[MEASURE_CLASS_COUNT];
    unsigned cores; // number of cores at work; 0 if not known
    // Size in bytes of a working set that each unit of work reads again; 0 if there is none. The
    // set must have been read once before the hardware counters start. If a cache holds the set,
    // hardware counters should then count no reads in the levels behind this cache.
    uint64_t set_bytes;
    // True if several threads may read the same bytes at the same time. Devices merge such reads on
    // the way to the L2, so the value of the hardware counter `l2_read` cannot be predicted. The
    // one exception: if the L1 holds the working set (set_bytes), the value should be 0.
    bool merges;
    // What hardware counters should count for one unit of this work. If the pointer is NULL,
    // measure_claim_counts computes these values from the members above, under the assumption that
    // whole sectors are read and written.
    const struct measure_count_claims *counts;
};

// Returns how many results of the arithmetic `which` a core can compute per cycle at most; 0 if not
// known.
double measure_claim_results(const struct measure_limits *limits, enum measure_class which);

// Returns a number that identifies the kind of load, for struct visit_clock; 0 if claim->cores is
// 0. Two claims have the same number if they agree in four things: the number of cores, the levels
// of memory, the kinds of arithmetic, and the ratio of results to bytes, in steps of a quarter
// octave. Every load on a single core gets MEASURE_ONE_CORE.
uint32_t measure_claim_load(const struct measure_claim *claim);

enum {
    MEASURE_ONE_CORE = 1
};

// The highest possible rate of something that the timed work reads, writes or computes, such as
// bytes or results. measure_claim_bound computes the rate from the amount in one unit of work.
struct measure_bound {
    double per_s;     // highest amount per second of all cores together, at the core clock core_hz
    double per_cycle; // highest amount per core cycle of one core
};

// Returns the highest possible rate of something, such as bytes or results. Each unit of work has
// `amount` of it. The rate is limited by the bytes and results that `claim` states for one unit.
// Both members are 0 if `claim` has no bytes and no results, or if the device's limit for one of
// them is not known. If core_hz or claim->cores is 0, a limit by cores makes per_s 0, and a limit
// by memory makes per_cycle 0.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    // The forms MEASURE_PER_CORE_CYCLE and MEASURE_CYCLES_EACH need the core clock of each sample
    // and claim->cores. If one of these is not known, measure_claim_report sets no samples.
    MEASURE_PER_CORE_CYCLE, // rate of one core, in bytes or results per core cycle
    MEASURE_NS_EACH,        // time for one byte or result, in ns of device time
    MEASURE_CYCLES_EACH     // time for one byte or result, in core cycles
};

struct measure_account {
    const struct measure_claim *claim;
    // Physical limits of the device; if the pointer is NULL, the metrics get no limit.
    const struct measure_limits *limits;
    const struct measure_span *span;
    struct measure_visit *visit;
};

// Sets the samples, the clock step and the limit of metric number `metric`. `form` says whether the
// metric is a rate of bytes or results, or the time for one byte or result. One unit of work has
// `amount` of these bytes or results. Also sets the visit's kind of load and whether it uses
// memory. If hardware counters were read, adds them to the visit.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

// Returns the values that the device's hardware counters should have for one unit of the claimed
// work. These are claim->counts. If this pointer is NULL, the values are computed from the claim's
// other members.
struct measure_count_claims measure_claim_counts(const struct measure_claim *claim,
                                                 const struct gpu_info *info);

// Predicts what hardware counters count if kernels read a working set of `set_bytes` bytes again
// and again. If a cache is sure to hold the set, no bytes are read behind that cache. Sets the
// prediction `l2_read` to 0 if the set is at most half of the L1. Sets `dram_read` to 0 if the set
// is at most 3/8 of the last cache and the size of that cache is known.
void measure_claim_held(const struct measure_limits *limits, uint64_t set_bytes,
                        struct measure_count_claims *claims);

// Call this function for a visit that should measure memory with a working set of `bytes` bytes.
// If the size of the last cache is known (from the driver or the tables of measure/limits.c), the
// function does nothing. Otherwise, if the set may fit in that cache, adds the reason
// "unseen-cache" to the visit. The reason makes the case suspect.
void measure_claim_memory(struct measure_visit *visit, const struct measure_limits *limits,
                          uint64_t bytes);

#endif
