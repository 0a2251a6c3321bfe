// SPDX-License-Identifier: MIT
// The banks of shared memory, from the time of loads whose threads are so many words apart.
#ifndef ANALYSIS_BANKS_H
#define ANALYSIS_BANKS_H

#include <stddef.h>

// One pattern of strides: `strides` ascending, from 1 on; `times` of a load in any unit.
struct banks_curve {
    const double *strides, *times;
    size_t count;
};

// The number of banks: threads s words apart meet in banks / gcd(s, banks) of them, so the time
// grows with every power of two until all meet in one, at s = banks, and no further. Counted in
// words of 4 bytes: how wide a bank is does not show, 32 of 8 bytes look like 64 of 4 bytes.
// Returns 0 if the number is unknown: no stride takes twice the time of stride 1, no longer stride
// was measured, or odd strides take longer than stride 1 too.
unsigned banks_count(const struct banks_curve *curve);

#endif
