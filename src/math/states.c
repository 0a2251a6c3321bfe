// SPDX-License-Identifier: MIT
#include "math/states.h"

#include "math/stats.h"

#include <math.h>

static const double gap_least = 1.25;

// Returns the range of the middle 80 % of sorted values.
static double range_of(const double *sorted, size_t count)
{
    return stats_quantile(sorted, count, 0.9) - stats_quantile(sorted, count, 0.1);
}

bool states_find(const double *sorted, size_t count, struct states *states)
{
    if (count < STATES_VALUES_LEAST)
        return false;
    size_t least = (count + 4) / 5, split = least;
    for (size_t i = least; i <= count - least; i++)
        if (sorted[i] - sorted[i - 1] > sorted[split] - sorted[split - 1])
            split = i;
    const double *higher = sorted + split;
    double gap = higher[0] - higher[-1];
    double range = fmax(range_of(sorted, split), range_of(higher, count - split));
    *states = (struct states){.low_count = split,
                              .low = stats_quantile(sorted, split, 0.5),
                              .high = stats_quantile(higher, count - split, 0.5)};
    return gap > 0 && gap >= gap_least * range;
}
