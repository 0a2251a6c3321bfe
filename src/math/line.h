// SPDX-License-Identifier: MIT
// Fits straight lines to points.
#ifndef MATH_LINE_H
#define MATH_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct line {
    double intercept, slope;
    double intercept_half, slope_half; // half-widths of the 95 % intervals of intercept, slope
};

// Fits y = intercept + slope · x so that Σ(y − fit)² is least. Returns false if there are fewer
// than three points or if all x are equal. The intervals come from the residual scatter, by
// Student's t with count − 2 degrees of freedom. Source: P. R. Bevington and D. K. Robinson, "Data
// Reduction and Error Analysis for the Physical Sciences", 3rd edition, chapter 6.
bool line_fit(const double *x, const double *y, size_t count, struct line *line);

// Fits a line as line_fit does, but minimises the relative errors: Σ((y − fit) / y)². Also returns
// false if a y is not positive.
bool line_fit_relative(const double *x, const double *y, size_t count, struct line *line);

#endif
