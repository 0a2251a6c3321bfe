// SPDX-License-Identifier: MIT
// Computes how precisely samples determine a distribution. Also tells whether two sets of samples
// may come from the same distribution. The distribution may have any shape, also heavy tails or
// several peaks.
#ifndef MATH_DISTRIBUTION_H
#define MATH_DISTRIBUTION_H

#include <stddef.h>

// Returns the half-width of a band around the empirical distribution function of `count`
// independent samples, at most 1. The whole true function lies within the band with at least the
// probability `confidence`. Without samples, returns 1. Source: Dvoretzky, Kiefer and Wolfowitz
// 1956; the constant is from Massart, "The Tight Constant in the DKW Inequality", 1990.
double distribution_band(size_t count, double confidence);

// Returns the largest distance between the empirical distribution functions of two sets of values
// (the Kolmogorov–Smirnov statistic, from 0 to 1). Each set must be in ascending order. Returns NaN
// if a set is empty.
double distribution_distance(const double *a, size_t a_count, const double *b, size_t b_count);

// Returns Smirnov's limit for the distance between the empirical distribution functions of two sets
// of independent samples. If both sets come from the same distribution, their distance exceeds this
// limit with a probability of about `error`.
double distribution_distance_allowed(size_t a_count, size_t b_count, double error);

#endif
