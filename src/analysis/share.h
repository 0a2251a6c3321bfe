// SPDX-License-Identifier: MIT
// Makes a run small and anonymous, so that its owner can publish it. What is left is an ordinary
// run.
#ifndef ANALYSIS_SHARE_H
#define ANALYSIS_SHARE_H

#include "results/results.h"

// Removes from the run what names a machine or its owner, and what readers can do without:
//
//   run       the command; of the host all but os, architecture, cpu and cpu_threads
//   device    UUID and PCI address
//   benchmark the sentences about parameters and metrics
//   result    results without figures (skipped, failed) or with the name of a file in their case;
//             series, kernel, medians of rounds; sensors other than clocks; details of results
//             other than a map's; of a reason all but its code
//   finding   findings about results that were removed
//
// Numbers keep four digits. A text with the path of a file is removed wherever it stands.
void share_strip(struct run *run);

// Removes the least important results that the run has, with the findings about them. The order:
// first all results that a headline does not need, of benchmarks without a headline of levels; then
// those of the other benchmarks, as latency and bandwidth. Returns false if nothing was removed,
// because a headline needs each result that is left.
bool share_thin(struct run *run);

#endif
