// SPDX-License-Identifier: MIT
// Statistics of small samples. Without enough values, a function returns NaN, unless its comment
// says otherwise.
#ifndef MATH_STATS_H
#define MATH_STATS_H

#include <stdbool.h>
#include <stddef.h>

// Sorts the values in ascending order, in place. The values must be finite.
void stats_sort(double *values, size_t count);

// Returns the p-quantile of sorted values, interpolated around position 1 + (n − 1) p. Source:
// definition 7 of Hyndman and Fan, The American Statistician 50, 1996.
double stats_quantile(const double *sorted, size_t count, double p);

// Returns the median. Sorts `values` in place.
double stats_median(double *values, size_t count);

// Returns the difference between the 90th and the 10th percentile. Sorts `values` in place.
double stats_spread(double *values, size_t count);

double stats_mean(const double *values, size_t count);

// Returns the standard deviation of `count` values, with count − 1 in the denominator. Returns NaN
// for fewer than two values.
double stats_deviation(const double *values, size_t count);

// Sums for the correlation of neighbouring values over many short series, each with its own mean:
// Young's C = 1 − ΣΣ(xᵢ₊₁−xᵢ)² / 2ΣΣ(xᵢ−x̄)². It is like the lag-1 autocorrelation, but its
// expectation is exactly 0 for independent normal values, however short the series. Source: L. C.
// Young, "On randomness in ordered sequences", Annals of Mathematical Statistics 12, 1941.
//
// The variance of C is then (n−2)/(n²−1) for one series of n values. Several series are weighted by
// their shares of ΣΣ(xᵢ−x̄)². These shares have a Dirichlet distribution with parameters f/2 (f =
// n−1, F = Σf). So the variance is Σ f(f+2) (n−2)/(n²−1) / F(F+2) = Σ(n−2) / F(F+2).
struct stats_serial {
    double squared_steps; // squared differences of neighbours, summed: ΣΣ(xᵢ₊₁−xᵢ)²
    double squared_deviations; // squared deviations from the means, summed: ΣΣ(xᵢ−x̄)²
    double freedom;            // degrees of freedom of all series: F = Σ(n−1)
    double triples;            // number of triples of neighbours in all series: Σ(n−2)
};

void stats_serial_add(struct stats_serial *serial, const double *series, size_t count);
// Returns the serial correlation C of the series (formula: struct stats_serial). Returns 0 if all
// values of each series are equal.
double stats_serial_correlation(const struct stats_serial *serial);
// Returns the standard deviation that stats_serial_correlation has if the values are independent
// and normal. Returns NaN if no series has two values.
double stats_serial_error(const struct stats_serial *serial);

// Returns the value t of Student's t distribution with P(T ≤ t) = p, for 0 < p < 1 and at least one
// degree of freedom. The error is about 1e-12. The method is bisection of the finite series 26.7.3
// and 26.7.4 of Abramowitz and Stegun.
double stats_t_quantile(double p, unsigned freedom);

// Returns the rank k for a confidence interval of the median: the largest k with which the interval
// from the k-th smallest to the k-th largest of n independent values contains the median with at
// least this confidence; 0 if there is none. The values may have any distribution. The coverage is
// 1 − 2 P(Binomial(n, ½) < k) (David and Nagaraja, "Order Statistics", 7.1).
size_t stats_median_rank(size_t count, double confidence);

struct interval {
    // The median and the ends of its interval. For fewer than two values, the ends are NaN.
    double median, low, high;
};

enum {
    INTERVAL_RANKS_FROM = 20 // with at least this many values, the interval comes from ranks
};

// Returns √(a² + b²). The C library's hypot would need glibc 2.35. a² and b² must be far from the
// limits of double.
double root_of_squares(double a, double b);

// Returns the median of `values` with its confidence interval. Sorts `values`. From
// INTERVAL_RANKS_FROM values on, the interval comes from ranks (stats_median_rank) if they reach
// the confidence. Ranks assume no distribution, but ranks of few values are too coarse. Otherwise
// the interval is mean ± t s/√n, widened to contain the median. This assumes normal values, which
// medians of rounds nearly are.
struct interval interval_of_median(double *values, size_t count, double confidence);

#endif
