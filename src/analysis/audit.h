// SPDX-License-Identifier: MIT
// Compares what hardware counters counted for a result with what its benchmark claims.
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "results/results.h"

// Returns the counted value of the result's hardware counter `name`; NULL if the result lacks it.
const double *audit_counted(const struct result *result, const char *name);

// Returns the count divided by its claim; NaN if there is no claim or if the claim is zero.
double audit_ratio(const struct counter *counter);

// Returns true if the count agrees with its claim, the value that the benchmark predicts: it
// differs by at most 1 %, or by at most 3 % if fewer than 1 GiB were claimed in total. A counter
// without a claim always agrees. A count of `dram_read` may also be lower by the bytes that the L2
// served. If the claim is zero, the count may be at most 1 % of the largest claim that the result
// has in the same unit, or at most AUDIT_ZERO_BYTES for all units of work together.
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
// Results that other work may have disturbed (REASON_SHARED_DEVICE) are left out, because the
// counters of L2 and DRAM include such work.
void audit_add_findings(struct run *run);

// ---------------------------------------------------------------- hit rates (analysis/hits.c)
// Finds where caches end by the hit rates that hardware counters show along the latency curve, and
// compares these sizes with the sizes at which the caches end by latency.

enum {
    HITS_LEVELS = 2 // number of caches with counters: L1 and L2
};

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2). Returns
// NaN if the share is unknown, or if the cache's counters may come from different passes. But
// different passes are allowed for the L1 if hits plus misses equal its reads within 1 %.
double hits_rate(const struct result *result, unsigned level);

// Adds these findings, unless the run already has one of them for this device.
//   hits-end    The size at which the hits of a cache end, between two sizes of the longest latency
//               curve; one finding for each cache.
//               value: the factor between this size and the size at which the latency rises; 1 if
//               their intervals touch, NaN if the latency does not show the cache's end.
//               keys: the two cases of the curve between which the hits end.
//   over-fetch  The bytes of memory that a load reads in chains that miss all caches.
//               value: the median of these chains. keys: the shortest and the longest chain.
void hits_add_findings(struct run *run, const char *device);

#endif
