// SPDX-License-Identifier: MIT
// How urgent work fared behind each hog, in words.
#ifndef ANALYSIS_PREEMPTS_H
#define ANALYSIS_PREEMPTS_H

#include "results/results.h"

// For each device that has none of them, from the first benchmark whose metrics are response and
// hog_pause: a finding "preempt" for each hog and setting, over all priorities; value: the shortest
// median response (ns), keys: the cases. The detail "entered" of a case says how the victim got in;
// beside it stands what was published ("Breaking Down Barriers, Part 6", M. Pettineo, 2018).
void preempts_add_findings(struct run *run);

#endif
