// SPDX-License-Identifier: MIT
// Fits the rise from one plateau to the next. y is flat up to the end of the first plateau, then
// rises in a straight line to the next plateau.
#ifndef MATH_HINGE_H
#define MATH_HINGE_H

#include "math/plateaus.h"

struct hinge {
    const double *x, *ln_y, *weight; // the points, by ascending x; points of weight 0 cost nothing
    size_t count;
    double low, high; // heights of the plateaus before and after the rise
    double noise;     // relative noise of each point's y
    double width_max; // maximum width of the rise, in x
    double from, to;  // range of x in which the first plateau may end
};

// Fits the end of the first plateau, the interval of this end, and the width of the rise. Stores
// them in *step.
void hinge_fit(struct arena *arena, const struct hinge *hinge, struct plateaus_step *step);

#endif
