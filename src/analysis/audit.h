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
// counter without a claim agrees.
//
// The two may differ by 1 %; for bytes by 3 % if less than 1 GiB is claimed in total. For
// `dram_read`, the count may also lack the bytes that the L2 served.
//
// If the claim is zero, the count may be up to 1 % of the result's largest claim of the same unit.
// For bytes, it may always be up to AUDIT_ZERO_BYTES in total, over all units of work.
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

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2); NaN if it
// is unknown or uncertain. It is certain if the cache's counters were counted in one pass. For the
// L1, it is also certain if hits and misses add up to the reads within 1 %.
double hits_rate(const struct result *result, unsigned level);

// Adds these findings, unless the run already has one of them for this device.
//   hits-end    For each cache: the two sizes of the device's longest latency curve between which
//               its hits end. At the smaller size at least 95 % of the reads hit the cache, at the
//               next size fewer. The latency also shows where the cache ends. The text says whether
//               hits and latency agree within a factor of 1.25.
//               value: the larger end divided by the smaller one. It is 1 if their intervals touch,
//               and NaN if the latency does not show the end.
//               keys: the cases of the two sizes.
//   over-fetch  How many bytes of memory a load reads in chains that miss all caches (less than 5 %
//               of the reads hit the L2).
//               value: the median of these chains. The text also has the bytes read through the L2.
//               keys: the shortest and the longest of these chains.
void hits_add_findings(struct run *run, const char *device);

#endif
