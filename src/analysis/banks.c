// SPDX-License-Identifier: MIT
#include "analysis/banks.h"

#include <math.h>
#include <stdbool.h>

// A stride has bank conflicts if a load takes at least this many times as long as at stride 1.
static const double conflict_least = 2;
// two load times count as equal if their ratio is at most this
static const double alike = 1.25;

static bool is_power(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5;
}

static double time_at(const struct banks_curve *curve, double stride)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->strides[i] == stride)
            return curve->times[i];
    return NAN;
}

static bool odd_strides_are_free(const struct banks_curve *curve, double free)
{
    for (size_t i = 0; i < curve->count; i++)
        if (fmod(curve->strides[i], 2) == 1 && curve->times[i] > alike * free)
            return false;
    return true;
}

unsigned banks_count(const struct banks_curve *curve)
{
    double free = time_at(curve, 1), longest = 0, banks = 0, last = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (is_power(curve->strides[i])) {
            longest = fmax(longest, curve->times[i]);
            last = curve->strides[i];
        }
    if (!(longest >= conflict_least * free) || !odd_strides_are_free(curve, free))
        return 0;
    for (size_t i = curve->count; i-- > 0;)
        if (is_power(curve->strides[i]) && curve->times[i] * alike >= longest)
            banks = curve->strides[i];
    // The number is known only if larger powers of two were measured and take the same time.
    for (unsigned stride = (unsigned)banks; stride && stride <= last; stride *= 2)
        if (time_at(curve, stride) * alike < longest)
            return 0;
    return banks < last ? (unsigned)banks : 0;
}
