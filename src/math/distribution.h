// SPDX-License-Identifier: MIT
// Samples as a distribution: how well they know it, and whether two sets of them are of the same.
// Nothing is assumed of its shape, so heavy tails and several peaks are as good as any.
#ifndef MATH_DISTRIBUTION_H
#define MATH_DISTRIBUTION_H

#include <stddef.h>

// Half-width of the band around the empirical distribution function of `count` independent samples
// that holds the true one everywhere with `confidence` (Dvoretzky, Kiefer, Wolfowitz 1956 with the
// constant of Massart, "The Tight Constant in the DKW Inequality", 1990). 1 where it holds all.
double distribution_band(size_t count, double confidence);

// The largest distance between the empirical distribution functions of two sets, each ascending
// (Kolmogorov and Smirnov's statistic), 0 … 1; NaN where one is empty.
double distribution_distance(const double *a, size_t a_count, const double *b, size_t b_count);

// What chance lets that distance reach for independent samples of one distribution, but for a share
// `error` of all times: Smirnov's limit, which errs on the safe side for few samples.
double distribution_distance_allowed(size_t a_count, size_t b_count, double error);

#endif
