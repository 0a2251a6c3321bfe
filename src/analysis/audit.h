// SPDX-License-Identifier: MIT
// Compares what hardware counters counted for a result with what its benchmark claims.
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "results/results.h"

// Returns the counted value of the result's hardware counter `name`; NULL if the result lacks it.
const double *audit_counted(const struct result *result, const char *name);

// Returns the counted value divided by the claim; NaN if there is no claim or if it is zero. (A
// claim is the value that the benchmark predicts.)
double audit_ratio(const struct counter *counter);

// Returns true if the counted value agrees with its claim, the value that the benchmark predicts. A
// counter without a claim agrees.
//
// A count may differ from its claim by 1 %; a count of bytes by 3 % if less than 1 GiB is claimed
// in all. For `dram_read`, bytes that the L2 served may be missing from the count.
//
// If the claim is zero, the count may be up to 1 % of the result's largest claim of the same unit.
// A count of bytes may always be up to AUDIT_ZERO_BYTES, summed over all units of work.
enum {
    AUDIT_ZERO_BYTES = 256 << 10
};
bool audit_agrees(const struct result *result, const struct counter *counter);

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2). Returns
// NaN if reads or hits were not counted, or if a unit of work made less than one read.
double audit_hit_rate(const struct result *result, unsigned level);

// Adds up to three findings to the run for each device whose counters have claims. (A claim is the
// value that a benchmark predicts for a hardware counter.)
//   counted        value: the share of the claims that agree with the count.
//   l2-served      About claims `dram_read` (bytes read from memory) that agree with the count.
//                  value: the largest share of such a claim that the L2 served instead of memory.
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
// NaN if audit_hit_rate does. Also returns NaN if the counters were counted in different passes,
// because they may then not belong together. For the L1, different passes are accepted if hits and
// misses add up to the reads within 1 %.
double hits_rate(const struct result *result, unsigned level);

// Adds the following findings. Adds nothing if the run already has one of them of this device.
//   hits-end    For each cache whose hits end on the device's longest latency curve: the two sizes
//               of the curve between which they end. At the smaller size at least 95 % of the reads
//               hit the cache, at the next size fewer. The latency also shows where the cache ends.
//               The text says whether both ends agree within a factor of 1.25.
//               value: the larger end divided by the smaller one. It is 1 if their intervals touch,
//               and NaN if the latency does not show the end.
//               keys: the cases of the two sizes.
//   over-fetch  How many bytes of memory a load reads in a chain that misses all caches. In such a
//               chain less than 5 % of the reads hit the L2.
//               value: the median of all such chains of the curve. The text also has the bytes read
//               through the L2.
//               keys: the shortest and the longest of these chains.
void hits_add_findings(struct run *run, const char *device);

#endif
