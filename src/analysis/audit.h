// SPDX-License-Identifier: MIT
// Compares what hardware counters counted for a result with what its benchmark claims.
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "results/results.h"

// Returns what the result's counter `name` counted; NULL if it lacks the counter.
const double *audit_counted(const struct result *result, const char *name);

// Counted ÷ claimed; NaN if nothing is claimed, or a claim of zero.
double audit_ratio(const struct counter *counter);

// True if the counter agrees with its claim: within 3 % for bytes if less than 1 GiB is claimed,
// else within 1 %. `dram_read` may be lower by as much as the L2 served. Claims of zero bytes hold
// up to AUDIT_ZERO_BYTES in all units together, or up to 1 % of the most bytes that the result
// claims of another counter; other claims of zero up to 1 % of the largest other claim. A counter
// without a claim agrees.
enum {
    AUDIT_ZERO_BYTES = 256 << 10
};
bool audit_agrees(const struct result *result, const struct counter *counter);

// Returns the share of the bytes read through the L1 (level 1) or the L2 (level 2) that this cache
// held, 0 to 1. NaN if they were not counted, or if a unit of work read less than a byte.
double audit_hit_rate(const struct result *result, unsigned level);

// Adds to the run, for each device that has counted claims: a finding "counted" that says how many
// agree; if some that agree claim to read memory, a finding "l2-served" with the largest part
// (value, key) that the memory did not deliver; and if any do not agree, a finding "claim-differs"
// with the keys of their results. Results that other work may have disturbed (reason
// "shared-device") are not judged: the counters of L2 and DRAM include such work.
void audit_add_findings(struct run *run);

#endif
