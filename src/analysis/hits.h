// SPDX-License-Identifier: MIT
// The hit rates that hardware counters give along the latency curve: where the hits of a cache end,
// beside where the latency says that its level ends.
#ifndef ANALYSIS_HITS_H
#define ANALYSIS_HITS_H

#include "results/results.h"

enum {
    HITS_LEVELS = 2 // the caches that counters know: L1 and L2
};

// The part of what was read that the L1 (level 1) or the L2 (level 2) held, 0 to 1, if both
// counters are of one pass or, for the L1, if hits and misses add up to the reads within 1 %. NaN
// otherwise, and where audit_hit_rate has none.
double hits_rate(const struct result *result, unsigned level);

// Adds these findings, unless the run has one of them of this device already:
//   hits-end    For each cache whose hits end on the device's longest latency curve: hits end
//               between the last size from which at least 95 % of the reads hit and the next size.
//               The text says whether the cache's level ends there too, within a factor of 1.25.
//               value: how many times larger the one is than the other, 1 if their intervals touch,
//               NaN if the curve has no end of that level. keys: the cases of both sizes.
//   over-fetch  What a load takes in the chains of that curve that miss all caches (less than 5 %
//               of their reads hit), as the median of the chains. value: bytes of memory; the text
//               has those of the L2, too. keys: the shortest and the longest of these chains.
void hits_add_findings(struct run *run, const char *device);

#endif
