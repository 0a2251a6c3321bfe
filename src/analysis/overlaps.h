// SPDX-License-Identifier: MIT
// What runs beside what, in words: a verdict for each question that the cases of a run answer, with
// its interval, beside what was published for other GPUs ("Breaking Down Barriers, Part 6",
// M. Pettineo, 2018: by eye, from time lines of Direct3D 12 under Windows).
#ifndef ANALYSIS_OVERLAPS_H
#define ANALYSIS_OVERLAPS_H

#include "results/results.h"

// A share of time is called "no" where the upper end of its interval is at most the first of these,
// "yes" where the lower end is at least the second, "partly" where all lies between them, and
// "undecided" otherwise.
#define OVERLAPS_NO  0.05
#define OVERLAPS_YES 0.5

// Adds findings for each device that has none of them, from the first benchmark whose metrics are
// same_queue and cross_queue; keys: the cases that say so, value: what the text gives.
//   overlap-dispatches  do dispatches on one queue overlap where nothing orders them
//   overlap-draw-dispatch, overlap-draws  … a draw and dispatches, two draws
//   target-barrier      does a barrier of a render target cost more than one of a buffer
//   overlap-queues      do two queues work at once
//   overlap-bystander   does a barrier also wait for work that nobody depends on
//   barrier-gap         how long the device idles at a barrier, one finding a kind of barrier
//   split-barrier       is a frame shorter with split barriers
//   queue-priority      does the compute queue's priority change a frame; not measured (value NaN)
//                       where it was refused
//   overlap-hand-over   how long one queue's work waits for the end of another queue's
//   overlap-clock       what the clock can tell, and what the polling host saw (overlaps_clock.h)
//   release-skew, overlap-stretch, overlap-gain
void overlaps_add_findings(struct run *run);

#endif
