// SPDX-License-Identifier: MIT
// The claim: what one unit of timed work moves at each level of memory and what it computes, as its
// benchmark states it. Metrics are divided from it and limits are judged by it, so that a figure
// and its limit cannot speak of different work.
#ifndef MEASURE_CLAIM_H
#define MEASURE_CLAIM_H

#include "measure/limits.h"
#include "measure/span.h"

enum measure_level {
    MEASURE_DRAM,
    MEASURE_CACHE,      // behind the cores' own; no limit of it is known
    MEASURE_CORE_CACHE, // L1
    MEASURE_SHARED,
    MEASURE_LINK, // between host and device; both directions work at once
    MEASURE_LEVEL_COUNT
};

// Which units compute, and what counts as a result: as struct measure_limits has it.
enum measure_class {
    MEASURE_FP32,
    MEASURE_FP64,
    MEASURE_FP16,
    MEASURE_INT32_MAD,
    MEASURE_FP16_MATRIX,
    MEASURE_FP8_MATRIX,
    MEASURE_OTHER, // no limit of it is known
    MEASURE_CLASS_COUNT
};

struct measure_claim {
    double read_bytes[MEASURE_LEVEL_COUNT]; // by the device; through the link: from the host
    double written_bytes[MEASURE_LEVEL_COUNT];
    double results[MEASURE_CLASS_COUNT];
    unsigned cores; // at work; 0 = not known
};

// Results of a class a cycle of a core at most; 0 = not known.
double measure_claim_results(const struct measure_limits *limits, enum measure_class which);

// The most that a device can do of something that a unit of work has `amount` of.
struct measure_bound {
    double per_s;     // the whole device, with the core clock at core_hz
    double per_cycle; // a core that is at work
};

// Both are 0 where the limit of anything claimed is not known, and where nothing is claimed. Where
// cores are the limit, per_s needs core_hz; where memory is the limit, per_cycle needs it.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    MEASURE_PER_CORE_CYCLE, // by the core clock in each sample; no metric where it was not seen
    MEASURE_NS_EACH,        // device time of one
    MEASURE_CYCLES_EACH     // cycles of the core of one, as PER_CORE_CYCLE
};

struct measure_account {
    const struct measure_claim *claim;
    const struct measure_limits *limits; // NULL: no limit is judged
    const struct measure_span *span;
    struct measure_visit *visit;
};

// Metric number `metric`: what a unit of the claimed work has `amount` of, in that form, with its
// clock step and its limit.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

#endif
