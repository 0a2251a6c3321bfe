// SPDX-License-Identifier: MIT
// What the numbers of `loads` advise who writes shaders for this device: one sentence for each
// question that the run answers, naming the cases that answer it.
#ifndef ANALYSIS_ADVICE_H
#define ANALYSIS_ADVICE_H

#include "results/results.h"

// From here on, with its whole interval, a ratio counts as a difference; and within it, with its
// whole interval, as none. What lies between gives no advice.
#define ADVICE_RATIO 1.1

// Adds a finding "loads-advice" for each question and device: value = how many times as fast the
// first case is as the second, keys = the two. And "loads-drift" for each device with two cases or
// more: value = how much faster the repeated baseline came out beside one case than beside another,
// keys = those two, the slower first. Without such cases it adds nothing.
void advice_add_findings(struct run *run);

#endif
