// SPDX-License-Identifier: MIT
// Computes how precisely samples determine a distribution. Also tells whether two sets of samples
// may come from the same distribution. The distribution may have any shape, also heavy tails or
// several peaks.
#ifndef MATH_DISTRIBUTION_H
#define MATH_DISTRIBUTION_H

#include <stddef.h>

// Returns a distance from the empirical distribution function of `count` independent samples. With
// probability `confidence`, the true function is nowhere farther away. Source: Dvoretzky, Kiefer
// and Wolfowitz 1956; the constant is from Massart, "The Tight Constant in the DKW Inequality",
// 1990. The result is at most 1. It is 1 if there are no samples.
double distribution_band(size_t count, double confidence);

// Returns the largest distance between the empirical distribution functions of two sets of values
// (the Kolmogorov–Smirnov statistic, from 0 to 1). Each set must be in ascending order. Returns NaN
// if a set is empty.
double distribution_distance(const double *a, size_t a_count, const double *b, size_t b_count);

// Returns Smirnov's limit for the distance between the empirical distribution functions of two sets
// of independent samples. If both sets come from the same distribution, their distance exceeds this
// limit only with probability `error`. For few samples the true probability is lower.
double distribution_distance_allowed(size_t a_count, size_t b_count, double error);

#endif
