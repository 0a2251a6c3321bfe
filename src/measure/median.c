// SPDX-License-Identifier: MIT
#include "measure/median.h"

#include "math/stats.h"

#include <math.h>

double measure_median(struct arena *scratch, const double *values, size_t count)
{
    struct arena_mark mark = arena_mark(scratch);
    double *finite = ARENA_ARRAY(scratch, count, double);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            finite[found++] = values[i];
    double median = stats_median(finite, found);
    arena_rewind(scratch, mark);
    return median;
}
