// SPDX-License-Identifier: MIT
#include "math/states.h"

#include "math/stats.h"

#include <math.h>

static const double gap_least = 1.25;

bool states_find(double *values, size_t count, struct states *states)
{
    if (count < STATES_VALUES_LEAST)
        return false;
    stats_sort(values, count);
    size_t least = (count + 4) / 5, split = least;
    for (size_t i = least; i <= count - least; i++)
        if (values[i] - values[i - 1] > values[split] - values[split - 1])
            split = i;
    double *higher = values + split;
    size_t higher_count = count - split;
    double gap = higher[0] - higher[-1];
    double range = fmax(stats_spread(values, split), stats_spread(higher, higher_count));
    *states = (struct states){.low_count = split,
                              .low = stats_quantile(values, split, 0.5),
                              .high = stats_quantile(higher, higher_count, 0.5)};
    return gap > 0 && gap >= gap_least * range;
}
