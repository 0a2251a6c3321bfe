// SPDX-License-Identifier: MIT
// Finds the few values that lie far above many values that agree. Uses statistics that outliers
// hardly change: the median, the MAD (median absolute deviation), ranks.
//
// A distance is counted in standard deviations of a normal distribution: 1.4826 MAD n / (n − 0.8)
// (Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale",
// COMPSTAT 1992). The MAD's efficiency is 36.7 % (Hampel, "The influence curve and its role in
// robust estimation", JASA 69, 1974). So a distance has Student's t distribution with about 0.37 (n
// − 1) degrees of freedom, which tests/unit/test_outliers.c checks.
#ifndef MATH_OUTLIERS_H
#define MATH_OUTLIERS_H

#include "base/arena.h"

#include <stddef.h>

struct population {
    size_t count;
    double median, low, high; // 1 % quantile (`low`) and 99 % quantile (`high`) of the values
    double mad;
    double sigma;   // standard deviation, estimated from the median absolute deviation
    double freedom; // degrees of freedom of `sigma`
};

// Returns the statistics of the values, which must be finite. Overwrites the values. Without
// values, all numbers but count and freedom are NaN.
struct population population_of(double *values, size_t count);

// Returns the score of a value: how far it lies above the median of the population, as a standard
// normal value (below: negative). Normal values exceed 5 once in 3.5 million. A standard deviation
// below `least` is replaced by `least`.
double population_score(const struct population *population, double value, double least);

// Returns how far above the median a value must lie to have this score. This is the inverse of
// population_score, for scores ≥ 0.
double population_distance(const struct population *population, double score, double least);

// score_chance returns the chance that a standard normal value exceeds the score. score_of_chance
// is its inverse: it returns the score with this chance, which must be between 0 and ½.
double score_chance(double score);
double score_of_chance(double chance);

// Returns how many of `tests` statistical tests count as discoveries. On average, at most the share
// `rate` of the discoveries is false. `chances` has the `count` smallest p-values of all tests, in
// ascending order. Source: Benjamini and Hochberg, "Controlling the false discovery rate", J. R.
// Statist. Soc. B 57, 1995.
size_t discoveries(const double *chances, size_t count, size_t tests, double rate);

// Returns Spearman's rank correlation of the pairs (x[i], y[i]) (Am. J. Psychology 15, 1904). Equal
// values share their mean rank. If x and y are independent, √(n − 1) times the correlation is about
// a standard normal value. Returns NaN for fewer than three pairs, or if all x or all y are equal.
double rank_correlation(struct arena *arena, const double *x, const double *y, size_t count);

#endif
