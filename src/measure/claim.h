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
    // True if several threads may read the same bytes at the same time. Devices merge such reads
    // before the L2, so the hardware counter `l2_read` cannot be predicted. But if the L1 holds the
    // working set (set_bytes), the prediction is 0.
    bool merges;
    // Expected values of the hardware counters for one unit of work. If `counts` is NULL,
    // measure_claim_counts computes them from the other members. It then assumes that whole sectors
    // are read and written.
    const struct measure_count_claims *counts;
};

// Returns a number that identifies the kind of load, for struct visit_clock; 0 if claim->cores is
// 0. All loads on a single core have the number MEASURE_ONE_CORE. Other claims have the same number
// if they use the same number of cores, the same levels of memory, the same kinds of arithmetic,
// and about the same ratio of results to bytes (steps of a quarter octave).
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

// Returns the highest possible rate of something, such as bytes or results, of which one unit of
// work has `amount`. The bytes and results that `claim` states for a unit limit this rate. Both
// members are 0 if the claim is empty or if one of the limits is not known. If core_hz or
// claim->cores is 0, a limit by cores makes per_s 0, and a limit by memory makes per_cycle 0.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    // Two forms, MEASURE_PER_CORE_CYCLE and MEASURE_CYCLES_EACH, need claim->cores and the core
    // clock of each sample. Without these, measure_claim_report sets no samples.
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

// Sets the samples, the clock step and the limit of metric number `metric`. One unit of work has
// `amount` bytes or results, and `form` says how the metric counts them: as a rate, or as the time
// for each. Also sets the visit's kind of load and whether the visit uses memory. If hardware
// counters were read, adds them to the visit.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

// Returns the values that the device's hardware counters should have for one unit of the claimed
// work. If claim->counts is not NULL, these are the values. Otherwise they are computed from the
// claim's other members.
struct measure_count_claims measure_claim_counts(const struct measure_claim *claim,
                                                 const struct gpu_info *info);

// Predicts what hardware counters count if kernels read a working set of `set_bytes` bytes again
// and again. If a cache is sure to hold the set, no bytes are read behind that cache. Sets the
// prediction `l2_read` to 0 if the set is at most half of the L1. Sets `dram_read` to 0 if the set
// is at most 3/8 of the last cache and the size of that cache is known.
void measure_claim_held(const struct measure_limits *limits, uint64_t set_bytes,
                        struct measure_count_claims *claims);

// Adds the reason "unseen-cache", which makes the case suspect, to a visit that should measure
// memory but may measure a cache. The working set has `bytes` bytes. The reason is added only if
// the size of the last cache is not known (from the driver or the tables of measure/limits.c) and
// the working set may fit into that cache.
void measure_claim_memory(struct measure_visit *visit, const struct measure_limits *limits,
                          uint64_t bytes);

#endif
