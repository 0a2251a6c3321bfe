// SPDX-License-Identifier: MIT
// Where a plateau ends, fitted as a hinge: flat up to the end, then in a straight line to the next
// plateau. A part of math/plateaus.h, whose text has the model and its sources.
#ifndef MATH_PLATEAUS_END_H
#define MATH_PLATEAUS_END_H

#include "math/plateaus.h"

struct plateaus_rise {
    const double *x, *ln_y, *weight; // ascending x; a weight of 0: the point counts for nothing
    size_t count;
    double low, high; // heights of the two plateaus
    double noise;     // relative
    double width_max; // widest rise, in units of x
    double from, to;  // the end is looked for between these
};

// The best end and width, and the interval of the end.
void plateaus_fit_end(const struct plateaus_rise *rise, struct plateaus_step *step);

#endif
