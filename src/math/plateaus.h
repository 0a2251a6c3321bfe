// SPDX-License-Identifier: MIT
// Levels of a staircase: how many plateaus a noisy curve has, how high each is and where it ends. A
// curve that merely rises has no plateaus: they have to be flat. A test that compares left with
// right alone (Kolmogorov-Smirnov, CUSUM) would find some.
//
// Model: y is constant on plateau k up to its end x_k, then goes in a straight line within a
// bounded width to the next, higher plateau. Fit: least squares over all segmentations by dynamic
// programming (Bellman; Killick, Fearnhead, Eckley, JASA 107, 2012, for the penalised form), the
// number of levels by the Bayesian information criterion with three parameters a level (height,
// end, width). Each end is then fitted on its own as a hinge, with an interval by profile
// likelihood: all ends whose cost is within χ²₁(0.95) = 3.84 of the best (more by the Birge ratio
// where the hinge does not fit), and never narrower than from the last point before the end to the
// first after it. The lower arm of the hinge is as high as the plateau's last points. If the
// plateau drifts up to there, half of its drift counts as uncertainty.
#ifndef MATH_PLATEAUS_H
#define MATH_PLATEAUS_H

#include "base/arena.h"

#include <stdbool.h>

enum {
    PLATEAUS_MAX = 8
};

struct plateaus_desc {
    // Ascending x; y > 0. Judged by ratio: noise is relative.
    const double *x, *y;
    size_t count;
    double ratio_min;  // smallest step that counts: levels closer than that are one
    double ramp_max;   // widest step, in units of x: 0.75
    double length_min; // shortest plateau between two steps, in units of x: 0.3
    double noise_min;  // relative noise that is assumed at least: 0.002
};

struct plateau {
    double height;          // median of its points
    double x_first, x_last; // its first and last point
    size_t first, last;     // their indices
};

struct plateaus_step {
    double end, end_low, end_high; // where the lower plateau ends, with its 95 % interval
    double width;                  // of the rise
};

struct plateaus {
    struct plateau levels[PLATEAUS_MAX];
    struct plateaus_step steps[PLATEAUS_MAX]; // step k: between levels k and k+1
    size_t count;
    // How many levels, from the first on, are flat. The steps between those are valid in any case.
    size_t flat;
    double noise; // relative, robust standard deviation about the fit
    // False if the curve is too noisy, too short, or rises without flat parts: `reason` says which.
    // Levels beyond `flat` are then not to be shown.
    bool decided;
    const char *reason;
};

// Fits the curve. Scratch memory comes from `arena` and is given back.
void plateaus_fit(struct arena *arena, const struct plateaus_desc *desc, struct plateaus *fit);

#endif
