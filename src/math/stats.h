// SPDX-License-Identifier: MIT
// Statistics of small samples. Arrays in, numbers out; nothing is allocated. Too few values for a
// question give NaN.
#ifndef MATH_STATS_H
#define MATH_STATS_H

#include <stdbool.h>
#include <stddef.h>

// Sorts ascending, in place. Values must be finite.
void stats_sort(double *values, size_t count);

// The p-quantile of sorted values, interpolated linearly between the order statistics around
// 1 + (n − 1) p (definition 7 of Hyndman and Fan, The American Statistician 50, 1996).
double stats_quantile(const double *sorted, size_t count, double p);

// The median; sorts `values` in place.
double stats_median(double *values, size_t count);

double stats_mean(const double *values, size_t count);

// Standard deviation with n − 1; NaN below two values.
double stats_deviation(const double *values, size_t count);

// Lag-1 autocorrelation Σ(xᵢ−x̄)(xᵢ₊₁−x̄) / Σ(xᵢ−x̄)² of a series in time order (Box and Jenkins,
// "Time Series Analysis"). Biased towards −1/n; 0 for a constant series, NaN below two values.
double stats_lag1(const double *series, size_t count);

// How much neighbours in time resemble each other, for many short stretches taken together:
// Young's C = 1 − ΣΣ(xᵢ₊₁−xᵢ)² / 2ΣΣ(xᵢ−x̄)² with each stretch's own mean (L. C. Young, "On
// randomness in ordered sequences", Annals of Mathematical Statistics 12, 1941). Much like lag-1
// correlation, but for independent normal values its expectation is exactly 0 however short the
// stretches are. Its variance then is (n−2)/(n²−1) for one stretch of n; stretches count by their
// shares of ΣΣ(xᵢ−x̄)², which are Dirichlet distributed with f/2 of F/2 (f = n−1, F = Σf), so that
// together it is Σ f(f+2) (n−2)/(n²−1) / F(F+2) = Σ(n−2) / F(F+2).
struct stats_serial {
    double squared_steps;      // ΣΣ(xᵢ₊₁−xᵢ)²
    double squared_deviations; // ΣΣ(xᵢ−x̄)²
    double freedom;            // F
    double triples;            // Σ(n−2)
};

void stats_serial_add(struct stats_serial *serial, const double *series, size_t count);
double stats_serial_correlation(const struct stats_serial *serial); // 0 for constant series
double stats_serial_error(const struct stats_serial *serial);       // its standard deviation
                                                                    // where independent

// Student's t: the t with P(T ≤ t) = p for whole degrees of freedom ≥ 1, 0 < p < 1. The
// distribution function is the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4; its
// inverse is found by bisection, to about 1e-12.
double stats_t_quantile(double p, unsigned freedom);

// Distribution-free interval of the median: the largest rank k such that the k-th smallest and the
// k-th largest of n independent values enclose the median with at least `confidence`; 0 when not
// even the extremes do. Coverage is 1 − 2 P(Binomial(n, ½) < k) (David and Nagaraja, "Order
// Statistics", 7.1).
size_t stats_median_rank(size_t count, double confidence);

struct interval {
    double median, low, high; // low and high are NaN below two values
};

enum {
    INTERVAL_RANKS_FROM = 20 // values; fewer: Student's t
};

// Sorts `values` in place. From INTERVAL_RANKS_FROM values on the interval is distribution-free:
// order statistics (stats_median_rank), which a few wild rounds cannot move. Fewer
// values cannot give more than 93.75 % (five) that way: there it is mean ± t s/√n, which takes the
// values for normal (medians of rounds nearly are), widened to hold the median where it does not.
struct interval interval_of_median(double *values, size_t count, double confidence);

#endif
