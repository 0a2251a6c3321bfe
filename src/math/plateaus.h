// SPDX-License-Identifier: MIT
// The levels of a staircase: how many plateaus a noisy curve has, how high they are, and where each
// ends. A curve that only rises has no plateaus. Plateaus must be flat, which a test that only
// compares both sides of a step (Kolmogorov–Smirnov, CUSUM) does not require.
//
// Model: y is constant on plateau k up to its end x_k, then rises in a straight line of bounded
// width to the next, higher plateau. Fit: least squares over all segmentations by dynamic
// programming (Bellman; penalised form: Killick, Fearnhead, Eckley, JASA 107, 2012). The number of
// levels minimises the Bayesian information criterion, with three parameters per level (height,
// end, width). Then each end is fitted as a hinge. Its interval is a profile likelihood interval:
// all ends whose cost is within χ²₁(0.95) = 3.84 of the least (more, by the Birge ratio, if the
// hinge fits badly), but at least from the last point before the end to the first point after it.
// The lower arm of the hinge is at the height of the plateau's last points. If the plateau creeps,
// half its drift is added to the uncertainty.
#ifndef MATH_PLATEAUS_H
#define MATH_PLATEAUS_H

#include "base/arena.h"

#include <stdbool.h>

enum {
    PLATEAUS_MAX = 8
};

struct plateaus_desc {
    // Ascending x, and y > 0. y is compared by ratio, because its noise is relative.
    const double *x, *y;
    size_t count;
    double ratio_min;  // least ratio of neighbouring levels' heights; closer levels count as one
    double ramp_max;   // largest width of a rise in x, usually 0.75
    double length_min; // least length in x of a plateau, usually 0.25; half for an outermost one
    double noise_min;  // least relative noise to assume, usually 0.002
};

struct plateau {
    double height;          // median of its points
    double x_first, x_last; // x of its first and last point
    size_t first, last;     // indices of these points
};

struct plateaus_step {
    double end, end_low, end_high; // where the lower plateau ends, with its 95 % interval
    double width;                  // width of the rise
};

struct plateaus {
    struct plateau levels[PLATEAUS_MAX];
    struct plateaus_step steps[PLATEAUS_MAX]; // steps[k] is between levels k and k + 1
    size_t count;
    // The number of flat levels at the beginning. The steps between them are valid even if
    // `decided` is false.
    size_t flat;
    double noise; // relative standard deviation from the fit (robust)
    // False if the curve as a whole is not a staircase: it is too noisy, has too few points, or
    // rises without flat parts. `reason` says which; levels from `flat` on should not be shown.
    bool decided;
    const char *reason;
};

// Fits the curve `desc`. Scratch memory comes from `arena` and is released before the function
// returns.
void plateaus_fit(struct arena *arena, const struct plateaus_desc *desc, struct plateaus *fit);

#endif
