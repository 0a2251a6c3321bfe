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
    MEASURE_LINK, // link to the host; reads and writes do not share its bandwidth
    MEASURE_LEVEL_COUNT
};

struct measure_claim {
    // Bytes that one unit of work reads and writes at each level. At MEASURE_LINK: bytes that the
    // device reads from the host, and writes to the host.
    double read_bytes[MEASURE_LEVEL_COUNT];
    double written_bytes[MEASURE_LEVEL_COUNT];
    double results[MEASURE_CLASS_COUNT];
    unsigned cores; // number of cores at work; 0 if not known
    // Size in bytes of a working set that each unit of work reads again; 0 if there is none. It
    // must have been read once before the hardware counters start. No reads are predicted behind a
    // cache that holds it.
    uint64_t set_bytes;
    // True if several threads may read the same bytes at the same time. Devices merge such reads
    // before the L2, so `l2_read` is not predicted, except as 0 if set_bytes is at most half of the
    // L1.
    bool merges;
    // Values that the hardware counters should have for one unit of work. If the pointer is NULL,
    // measure_claim_counts computes the values from the other members, as if whole sectors were
    // read and written.
    const struct measure_count_claims *counts;
};

// Returns a number that identifies the kind of load, for struct visit_clock. The number is 0 if
// claim->cores is 0, and MEASURE_ONE_CORE for all loads on a single core. Two claims for several
// cores have the same number if they agree in the number of cores, the levels of memory, the kinds
// of arithmetic, and nearly in the ratio of results to bytes (steps of a quarter octave).
uint32_t measure_claim_load(const struct measure_claim *claim);

enum {
    MEASURE_ONE_CORE = 1
};

// The highest possible rate at which the work reads, writes or computes (measure_claim_bound):
// bytes or results per time.
struct measure_bound {
    double per_s;     // highest amount per second of all cores together, at the given core clock
    double per_cycle; // highest amount per core cycle of one core
};

// Returns the highest possible rate of bytes or results, if one unit of work has `amount` of them.
// The lowest limit of all work in `claim` decides. Both members are 0 if the claim is empty or a
// limit is not known.
//
// If core_hz or claim->cores is 0, limits per cycle and per second cannot be converted. Then per_s
// is 0 if a limit of the cores applies (L1, shared memory, arithmetic), and per_cycle is 0 if a
// limit of the memory or the link applies.
struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz);

enum measure_form {
    MEASURE_PER_SECOND,
    // If claim->cores or the core clock is not known, measure_claim_report sets no samples in the
    // forms MEASURE_PER_CORE_CYCLE and MEASURE_CYCLES_EACH.
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

// Sets the samples, the clock step and the limit of metric number `metric`: a rate or the time for
// one byte or result (`form`), with `amount` of them in one unit of work. Also adds to the visit
// its kind of load, whether it uses memory, and the hardware counters that were read.
void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount);

// Returns the values that the device's hardware counters should have for one unit of the claimed
// work: *claim->counts, or if this is NULL, values computed from the claim's other members.
struct measure_count_claims measure_claim_counts(const struct measure_claim *claim,
                                                 const struct gpu_info *info);

// Predicts the hardware counters of kernels that read a working set of `set_bytes` bytes again and
// again: `l2_read` is 0 if the set is at most half of the L1; `dram_read` is 0 if the set is at
// most 3/8 of the last cache, and this cache is known.
void measure_claim_held(const struct measure_limits *limits, uint64_t set_bytes,
                        struct measure_count_claims *claims);

// Adds the reason "unseen-cache", which makes the case suspect, to a visit that should measure
// memory, if the last cache may hold the working set of `bytes` bytes and the size of this cache is
// not known.
void measure_claim_memory(struct measure_visit *visit, const struct measure_limits *limits,
                          uint64_t bytes);

#endif
