// SPDX-License-Identifier: MIT
// The middle of what was seen, where some of it may have been missed.
#ifndef MEASURE_MEDIAN_H
#define MEASURE_MEDIAN_H

#include "base/arena.h"

#include <stddef.h>

// The median of the finite values, which stay as they are; NaN where there is none. Scratch memory
// comes from `scratch` and is given back.
double measure_median(struct arena *scratch, const double *values, size_t count);

#endif
