// SPDX-License-Identifier: MIT
#include "math/distribution.h"

#include <math.h>

double distribution_band(size_t count, double confidence)
{
    return count ? fmin(1, sqrt(log(2 / (1 - confidence)) / (2 * (double)count))) : 1;
}

double distribution_distance(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double largest = a_count && b_count ? 0 : NAN;
    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        double value = fmin(a[i], b[k]);
        while (i < a_count && a[i] <= value)
            i++;
        while (k < b_count && b[k] <= value)
            k++;
        largest = fmax(largest, fabs((double)i / (double)a_count - (double)k / (double)b_count));
    }
    return largest;
}

double distribution_distance_allowed(size_t a_count, size_t b_count, double error)
{
    double a = (double)a_count, b = (double)b_count;
    return sqrt(-log(error / 2) / 2) * sqrt((a + b) / (a * b));
}
