// SPDX-License-Identifier: MIT
// The levels of the memory hierarchy that a run shows: the plateaus of its latency curve
// (math/plateaus.h), as findings "level" that reports draw. How often they are right where the
// truth is known: tests/levels.
#ifndef ANALYSIS_LEVELS_H
#define ANALYSIS_LEVELS_H

#include "results/results.h"

// The curve of a device: of the first benchmark that draws a time, known in cycles as well, over
// bytes, the longest row of cases that differ in bytes only. For each step of it adds a finding of
// that device whose value is the size (bytes) at which the level ends and whose keys are the last
// case within it and the first beyond its rise. Nothing is added where the curve is no staircase,
// nor for a device that has such findings.
void levels_add_findings(struct run *run);

#endif
