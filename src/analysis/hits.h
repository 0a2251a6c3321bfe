// SPDX-License-Identifier: MIT
// The hit rates that hardware counters show along the latency curve. Compares the size at which the
// hits of a cache end with the size at which its level ends in the latency.
#ifndef ANALYSIS_HITS_H
#define ANALYSIS_HITS_H

#include "results/results.h"

enum {
    HITS_LEVELS = 2 // number of caches with counters: L1 and L2
};

// Returns the share, 0 to 1, of the reads that hit the L1 (level 1) or the L2 (level 2). Returns
// NaN if audit_hit_rate does, or if the counters may not belong together, because they were counted
// in different passes. For the L1, different passes are accepted if hits and misses add up to the
// reads within 1 %.
double hits_rate(const struct result *result, unsigned level);

// Adds these findings, unless the run has one of them of this device already:
//   hits-end    For each cache whose hits end on the device's longest latency curve: between which
//               two sizes of the curve they end. At the smaller size at least 95 % of the reads hit
//               the cache, at the next size fewer. The text says whether the cache's level ends
//               there by latency, too, within a factor of 1.25. value: the ratio of the size at
//               which the hits end and the size at which the level ends, larger ÷ smaller; 1 if
//               their intervals touch, NaN if the curve has no end of that level. keys: the cases
//               of the two sizes.
//   over-fetch  How many bytes of memory a load reads in those chains of the curve that miss all
//               caches (less than 5 % of their reads hit the L2). value: the median of these
//               chains; the text also has the bytes read through the L2. keys: the shortest and the
//               longest of these chains.
void hits_add_findings(struct run *run, const char *device);

#endif
