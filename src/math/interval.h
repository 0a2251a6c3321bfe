// SPDX-License-Identifier: MIT
// An interval for the median of a population from a few independent values of it (here: the
// medians of rounds), at a stated confidence.
#ifndef MATH_INTERVAL_H
#define MATH_INTERVAL_H

#include <stddef.h>

struct interval {
    double median, low, high; // low and high are NaN below two values
};

enum {
    INTERVAL_RANKS_FROM = 20 // values; fewer: Student's t
};

// Sorts `values` in place. From INTERVAL_RANKS_FROM values on the interval is distribution-free:
// order statistics (math/stats.h, stats_median_rank), which a few wild rounds cannot move. Fewer
// values cannot give more than 93.75 % (five) that way: there it is mean ± t s/√n, which takes the
// values for normal (medians of rounds nearly are), widened to hold the median where it does not.
struct interval interval_of_median(double *values, size_t count, double confidence);

#endif
