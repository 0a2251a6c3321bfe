// SPDX-License-Identifier: MIT
// Verdicts on overlapping that set one thing beside another: pairs of workloads, barriers of two
// kinds, frames of two scenarios. A part of analysis/overlaps.h, which names the findings.
#ifndef ANALYSIS_OVERLAPS_PAIRS_H
#define ANALYSIS_OVERLAPS_PAIRS_H

#include "analysis/overlaps_tell.h"

// target-barrier: after a draw, a barrier of what is in its target against one of a buffer.
void overlaps_ask_targets(const struct overlaps_subject *subject);

// overlap-bystander: plain barriers once, split ones once, by the first case that has such a pair.
void overlaps_ask_bystanders(const struct overlaps_subject *subject);

// split-barrier, queue-priority: frames of one scenario against those of another.
void overlaps_ask_frames(const struct overlaps_subject *subject);

#endif
