// SPDX-License-Identifier: MIT
// What hardware counters say of a result, beside what its benchmark claims.
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "results/results.h"

// Counted ÷ claimed; NaN if nothing is claimed.
double audit_ratio(const struct counter *counter);

// True if the counter agrees with its claim: within 1 % for events and where at least 1 GiB was
// counted, else within 3 %. Less may be read from memory than claimed by as much as the result's L2
// served. A counter without a claim agrees.
bool audit_agrees(const struct result *result, const struct counter *counter);

// The part of what was read that the L1 (level 1) or the L2 (level 2) held, 0 to 1; NaN if it was
// not counted, or if a unit of work read less than a byte through that level.
double audit_hit_rate(const struct result *result, unsigned level);

// Adds to the run, for each device that has counted claims: a finding "counted" that says how many
// agree; if some that agree claim to read memory, a finding "l2-served" with the largest part
// (value, key) that the memory did not deliver; and if any do not agree, a finding "claim-differs"
// with the keys of their results. Results that other work may have disturbed (reason
// "shared-device") are not judged: L2 and DRAM count it, too.
void audit_add_findings(struct run *run);

#endif
