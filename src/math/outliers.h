// SPDX-License-Identifier: MIT
// Finds the few values that lie far above many that agree, by statistics that those few do not
// move: median, MAD (median absolute deviation), ranks. Nothing is allocated, unless an arena is
// given.
//
// A distance is in standard deviations: (value − median) / scale. The scale of a normal
// distribution is 1.4826 MAD, times n / (n − 0.8) for small n (Croux and Rousseeuw, "Time-efficient
// algorithms for two highly robust estimators of scale", COMPSTAT 1992). It is known as well as a
// standard deviation of 0.37 n values (Hampel, "The influence curve and its role in robust
// estimation", JASA 69, 1974: the MAD's efficiency is 36.7 %), so a distance has Student's t
// distribution with about 0.37 (n − 1) degrees of freedom. tests/unit/test_outliers.c counts how
// often normal values exceed the limits that follow.
#ifndef MATH_OUTLIERS_H
#define MATH_OUTLIERS_H

#include "base/arena.h"

#include <stddef.h>

struct population {
    size_t count;
    double median, low, high; // low, high: the 1 % and the 99 % quantile
    double mad;
    double sigma;   // the scale from the MAD
    double freedom; // degrees of freedom of `sigma`
};

// Describes the values, which must be finite; sorts them, then changes them. With no values all
// numbers are NaN.
struct population population_of(double *values, size_t count);

// The standard normal value that is as rare as `value` of the population: 5 is one in 3.5 million.
// The scale is never less than `least`. Positive: above the median.
double population_score(const struct population *population, double value, double least);

// How far above the median a value with this score lies.
double population_distance(const struct population *population, double score, double least);

// The chance that a standard normal value exceeds the score, and the score for a chance between 0
// and ½.
double score_chance(double score);
double score_of_chance(double chance);

// How many of `tests` tests are discoveries if at most `rate` of them may be false (Benjamini and
// Hochberg, "Controlling the false discovery rate", J. R. Statist. Soc. B 57, 1995). `chances` has
// the smallest `count` of the chances, ascending.
size_t discoveries(const double *chances, size_t count, size_t tests, double rate);

// Spearman's rank correlation of pairs (Am. J. Psychology 15, 1904); equal values share their mean
// rank. Times √(n − 1) it is about a score where x and y are independent. NaN below three pairs, or
// if all x or all y are equal.
double rank_correlation(struct arena *arena, const double *x, const double *y, size_t count);

#endif
