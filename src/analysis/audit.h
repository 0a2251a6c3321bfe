// SPDX-License-Identifier: MIT
// Compares what hardware counters counted for a result with what its benchmark claims.
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "results/results.h"

// Returns the counted value of the result's hardware counter `name`; NULL if the result lacks it.
const double *audit_counted(const struct result *result, const char *name);

// Returns the counted value divided by the claim, the value that the benchmark predicts. Returns
// NaN if there is no claim or if it is zero.
double audit_ratio(const struct counter *counter);

// Returns true if the counted value agrees with its claim, the value that the benchmark predicts. A
// counter without a claim always agrees. Otherwise, the count may differ from the claim by:
// - 1 % of the claim
// - for bytes, 3 % of the claim, if the claim for all units of work together is less than 1 GiB
// A count of `dram_read` may also be lower by the bytes that the L2 served.
//
// If the claim is zero, the count may be at most 1 % of the largest claim that the result has in
// the same unit. A count of bytes also agrees if all units of work together have at most
// AUDIT_ZERO_BYTES.
enum {
    AUDIT_ZERO_BYTES = 256 << 10
};
bool audit_agrees(const struct result *result, const struct counter *counter);

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2). Returns
// NaN if reads or hits were not counted, or if there was less than one read per unit of work.
double audit_hit_rate(const struct result *result, unsigned level);

// Adds up to three findings for each device whose counters have claims, the values that a benchmark
// predicts.
//   counted        value: the share of the claims that agree with the count.
//   l2-served      value: the largest share of a claim `dram_read` (bytes read from memory) that
//                  the L2 served instead. Only claims that agree with the count are considered.
//                  key: the result with this share.
//   claim-differs  value: the number of claims that do not agree. keys: the results with them.
// Results that other work may have disturbed (reason "shared-device") are left out, because the
// counters of L2 and DRAM include such work.
void audit_add_findings(struct run *run);

// ---------------------------------------------------------------- hit rates (analysis/hits.c)
// Finds where caches end by the hit rates that hardware counters show along the latency curve, and
// compares these sizes with the sizes at which the caches end by latency.

enum {
    HITS_LEVELS = 2 // number of caches with counters: L1 and L2
};

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2). Returns
// NaN if the share is unknown, or if it is not certain that one pass counted the cache's counters.
// If hits and misses of the L1 add up to its reads within 1 %, several passes are allowed.
double hits_rate(const struct result *result, unsigned level);

// Adds these findings, unless the run already has one of them for this device.
//   hits-end    The size at which the hits of a cache end; one finding for each cache. It lies
//               between two sizes of the device's longest latency curve: at the smaller one at
//               least 95 % of the reads hit the cache, at the next one fewer. The text compares it
//               with the size at which the latency rises (equal within a factor of 1.25).
//               value: the factor between the nearest ends of the intervals of both sizes; 1 if
//               the intervals touch, and NaN if the latency does not show the cache's end.
//               keys: the two cases of the curve between which the hits end.
//   over-fetch  The bytes of memory that a load reads in chains that miss all caches (less than 5 %
//               of the reads hit the L2).
//               value: the median of these chains. The text also has the bytes read through the L2.
//               keys: the shortest and the longest of these chains.
void hits_add_findings(struct run *run, const char *device);

#endif
