// SPDX-License-Identifier: MIT
// The claim: what one unit of timed work moves at each level of memory and what it computes, as its
// benchmark states it. Metrics and their limits are both computed from it, so they are always about
// the same work.
#ifndef MEASURE_CLAIM_H
#define MEASURE_CLAIM_H

#include "measure/limits.h"
#include "measure/span.h"

enum measure_level {
    MEASURE_DRAM,
    MEASURE_CACHE,      // shared by all cores (L2); its limit is not known
    MEASURE_CORE_CACHE, // L1
    MEASURE_SHARED,
    MEASURE_LINK, // between host and device; both directions at the same time
    MEASURE_LEVEL_COUNT
};

// Which units compute. What counts as a result: see struct measure_limits.
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
    double read_bytes[MEASURE_LEVEL_COUNT]; // by the device; for the link: from the host
    double written_bytes[MEASURE_LEVEL_COUNT];
    double results[MEASURE_CLASS_COUNT];
    unsigned cores; // at work; 0 = not known
};

// The most results of a class that a core can give in a cycle; 0 = not known.
double measure_claim_results(const struct measure_limits *limits, enum measure_class which);

// The highest possible rate of something that a unit of work has `amount` of.
struct measure_bound {
    double per_s;     // the whole device, with the core clock at core_hz
    double per_cycle; // a core that is at work
};

// Both rates are 0 if nothing is claimed, or if the limit of anything claimed is not known. If
// cores are the limit, per_s needs core_hz; if memory is the limit, per_cycle needs it.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    MEASURE_PER_CORE_CYCLE, // by the core clock of each sample; without it, no metric
    MEASURE_NS_EACH,        // device time of one of `amount`
    MEASURE_CYCLES_EACH     // core cycles of one of `amount`; without the core clock, no metric
};

struct measure_account {
    const struct measure_claim *claim;
    const struct measure_limits *limits; // NULL: metrics get no limit
    const struct measure_span *span;
    struct measure_visit *visit;
};

// Sets metric number `metric`, with its clock step and its limit: the rate or the time, by `form`,
// of what a unit of the claimed work has `amount` of.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

#endif
