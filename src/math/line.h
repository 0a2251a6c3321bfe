// SPDX-License-Identifier: MIT
// Straight lines through points.
#ifndef MATH_LINE_H
#define MATH_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct line {
    double intercept, slope;
    double intercept_half, slope_half; // halves of their 95 % intervals
};

// The line y = intercept + slope · x that makes Σ((y − fit) / y)² least: every point counts by its
// relative error. Weighted least squares with weights 1/y² and intervals from the scatter that is
// left, by Student's t with count − 2 degrees of freedom (P. R. Bevington and D. K. Robinson, "Data
// Reduction and Error Analysis for the Physical Sciences", 3rd edition, chapter 6). False for fewer
// than three points, y that is not positive, or x that are all the same.
bool line_fit_relative(const double *x, const double *y, size_t count, struct line *line);

#endif
