// SPDX-License-Identifier: MIT
// With what clock the time lines of `overlap` were drawn, and whether the host's eyes agree.
#ifndef ANALYSIS_OVERLAPS_CLOCK_H
#define ANALYSIS_OVERLAPS_CLOCK_H

#include "results/results.h"

// What is nearer than this was not told apart (ns): from the result's series "calibration"; 0 where
// it has none.
double overlaps_resolution_ns(const struct result *result);

// One finding "overlap-clock" for the device, from its results that carry such a series; none
// where there is none. Markers are counted over all of them.
void overlaps_add_clock(struct run *run, const char *device);

#endif
