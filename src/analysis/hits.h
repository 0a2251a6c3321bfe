// SPDX-License-Identifier: MIT
// Finds where caches end by the hit rates that hardware counters show along the latency curve, and
// compares these sizes with the sizes at which the caches end by latency.
#ifndef ANALYSIS_HITS_H
#define ANALYSIS_HITS_H

#include "results/results.h"

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
