// SPDX-License-Identifier: MIT
// The claim: the bytes that one unit of timed work moves at each level of memory, and the results
// that it computes, as its benchmark states them. Metrics and their limits are both computed from
// the claim, so they are always about the same work.
#ifndef MEASURE_CLAIM_H
#define MEASURE_CLAIM_H

#include "measure/count.h"
#include "measure/limits.h"
#include "measure/span.h"

enum measure_level {
    MEASURE_DRAM,
    MEASURE_CACHE,      // shared by all cores (L2); its limit is not known
    MEASURE_CORE_CACHE, // L1
    MEASURE_SHARED,
    MEASURE_LINK, // between host and device; it works in both directions at the same time
    MEASURE_LEVEL_COUNT
};

// The units that compute. struct measure_limits says what counts as a result.
enum measure_class {
    MEASURE_FP32,
    MEASURE_FP64,
    MEASURE_FP16,
    MEASURE_INT32_MAD,
    MEASURE_FP16_MATRIX,
    MEASURE_FP8_MATRIX,
    MEASURE_OTHER, // its limit is not known
    MEASURE_CLASS_COUNT
};

struct measure_claim {
    double read_bytes[MEASURE_LEVEL_COUNT]; // read by the device; MEASURE_LINK: from the host
    double written_bytes[MEASURE_LEVEL_COUNT];
    double results[MEASURE_CLASS_COUNT];
    unsigned cores; // number of cores at work; 0 = not known
    // The working set that is read again and again, and before it is counted; 0: there is none.
    // Counters of levels behind a cache that surely holds it should count no reads.
    uint64_t set_bytes;
    // What hardware counters should count for this work. NULL: they are computed from the members
    // above, which assumes that whole sectors are read and written.
    const struct measure_count_claims *counts;
};

// Returns the most results of a class that a core can compute per cycle; 0 if not known.
double measure_claim_results(const struct measure_limits *limits, enum measure_class which);

// Returns the kind of load of the claimed work, as in struct visit_clock; 0 if claim->cores is 0.
// Loads of one kind have the same number of cores, levels of memory and computing units and, to a
// quarter of an octave, the same ratio of results to bytes. All loads of one core are of the kind
// MEASURE_ONE_CORE.
uint32_t measure_claim_load(const struct measure_claim *claim);

enum {
    MEASURE_ONE_CORE = 1
};

// The highest possible rate of a quantity (bytes, results) if a unit of work has `amount` of it.
struct measure_bound {
    double per_s;     // rate of the whole device, with the core clock at core_hz
    double per_cycle; // rate of one core at work
};

// Returns the bound of the claimed work. Both rates are 0 if nothing is claimed, or if the limit of
// a claimed quantity is not known. If core_hz or claim->cores is 0, per_s is 0 if cores limit the
// work, and per_cycle is 0 if memory limits it.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    // Both forms in cycles use the core clock of each sample. Without it, or without claim->cores,
    // the metric is not set.
    MEASURE_PER_CORE_CYCLE, // `amount` per cycle of one core
    MEASURE_NS_EACH,        // device time divided by `amount`
    MEASURE_CYCLES_EACH     // core cycles divided by `amount`
};

struct measure_account {
    const struct measure_claim *claim;
    const struct measure_limits *limits; // NULL: metrics get no limit
    const struct measure_span *span;
    struct measure_visit *visit;
};

// Sets metric number `metric`, with its clock step and its limit: the rate of a quantity, or the
// time of one byte or result (`form` says which), if a unit of the claimed work has `amount` of it.
// Sets the visit's kind of load and whether it uses memory. Adds the counters of a counted visit.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

// Returns what hardware counters of the device should count: claim->counts or, without them, what
// follows from the claim's other members.
struct measure_count_claims measure_claim_counts(const struct measure_claim *claim,
                                                 const struct gpu_info *info);

// Claims that the levels behind a cache that surely holds `set_bytes` are not read: if it is at
// most half of the L1, `l2_read`; if at most half of the last cache, `dram_read`.
void measure_claim_held(const struct measure_limits *limits, uint64_t set_bytes,
                        struct measure_count_claims *claims);

// Adds the flag "unseen-cache" to a result that should be of memory, if a cache that neither the
// driver nor the tables report may hold the working set of `bytes`.
void measure_claim_memory(struct measure_visit *visit, const struct measure_limits *limits,
                          uint64_t bytes);

#endif
