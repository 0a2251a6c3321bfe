// SPDX-License-Identifier: MIT
#include "math/stats.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare);
}

double stats_quantile(const double *sorted, size_t count, double p)
{
    if (count == 0)
        return NAN;
    double at = p * (double)(count - 1), below = floor(at);
    size_t i = (size_t)below;
    if (i + 1 >= count)
        return sorted[count - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double stats_median(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

double stats_spread(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_quantile(values, count, 0.9) - stats_quantile(values, count, 0.1);
}

double stats_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : NAN;
}

static double squared_deviations(const double *values, size_t count)
{
    double mean = stats_mean(values, count), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

double stats_deviation(const double *values, size_t count)
{
    return count < 2 ? NAN : sqrt(squared_deviations(values, count) / (double)(count - 1));
}

void stats_serial_add(struct stats_serial *serial, const double *series, size_t count)
{
    if (count < 2)
        return;
    for (size_t i = 0; i + 1 < count; i++)
        serial->squared_steps += (series[i + 1] - series[i]) * (series[i + 1] - series[i]);
    serial->squared_deviations += squared_deviations(series, count);
    double n = (double)count;
    serial->freedom += n - 1;
    serial->triples += n - 2;
}

double stats_serial_correlation(const struct stats_serial *serial)
{
    if (!(serial->squared_deviations > 0))
        return 0;
    return 1 - serial->squared_steps / (2 * serial->squared_deviations);
}

double stats_serial_error(const struct stats_serial *serial)
{
    double freedom = serial->freedom;
    return freedom > 0 ? sqrt(serial->triples / (freedom * (freedom + 2))) : NAN;
}

// Returns P(|T| < t) of Student's t distribution with ν = `freedom` and t = √ν tan θ: Abramowitz
// and Stegun 26.7.3 (odd ν) and 26.7.4 (even ν).
static double t_inside(double theta, unsigned freedom)
{
    double sine = sin(theta), cosine = cos(theta), term = 1, sum = 0;
    unsigned odd = freedom % 2;
    if (odd)
        term = cosine;
    for (unsigned i = odd; i + 2 <= freedom; i += 2) {
        sum += term;
        term *= cosine * cosine * (i + 1) / (i + 2);
    }
    return odd ? 2 / pi * (theta + sine * sum) : sine * sum;
}

double stats_t_quantile(double p, unsigned freedom)
{
    double inside = fabs(2 * p - 1), low = 0, high = pi / 2;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (t_inside(middle, freedom) < inside)
            low = middle;
        else
            high = middle;
    }
    double t = sqrt(freedom) * tan((low + high) / 2);
    return p < 0.5 ? -t : t;
}

size_t stats_median_rank(size_t count, double confidence)
{
    // The interval between ranks k misses the median with probability 2 Σ_{i<k} C(n,i) / 2^n.
    double n = (double)count, log_term = -n * log(2), outside = 2 * exp(log_term);
    size_t rank = 0;
    while (rank < count / 2 && outside <= 1 - confidence) {
        rank++;
        log_term += log((n - (double)rank + 1) / (double)rank);
        outside += 2 * exp(log_term);
    }
    return rank;
}

// ---------------------------------------------------------------- intervals of the median

static void by_ranks(const double *sorted, size_t count, size_t rank, struct interval *interval)
{
    interval->low = sorted[rank - 1];
    interval->high = sorted[count - rank];
}

static void by_student(const double *values, size_t count, double confidence,
                       struct interval *interval)
{
    double mean = stats_mean(values, count);
    double t = stats_t_quantile((1 + confidence) / 2, (unsigned)count - 1);
    double half = t * stats_deviation(values, count) / sqrt((double)count);
    interval->low = fmin(mean - half, interval->median);
    interval->high = fmax(mean + half, interval->median);
}

struct interval interval_of_median(double *values, size_t count, double confidence)
{
    struct interval interval = {stats_median(values, count), NAN, NAN};
    size_t rank = count >= INTERVAL_RANKS_FROM ? stats_median_rank(count, confidence) : 0;
    if (rank > 0)
        by_ranks(values, count, rank, &interval);
    else if (count > 1)
        by_student(values, count, confidence, &interval);
    return interval;
}

double root_of_squares(double a, double b)
{
    return sqrt(a * a + b * b);
}
