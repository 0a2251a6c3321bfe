// SPDX-License-Identifier: MIT
#include "math/interval.h"

#include "math/stats.h"

#include <math.h>

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
