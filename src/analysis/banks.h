// SPDX-License-Identifier: MIT
// Finds the number of banks of shared memory from the times of loads at several strides between
// threads.
#ifndef ANALYSIS_BANKS_H
#define ANALYSIS_BANKS_H

#include <stddef.h>

// Times of a load (in any unit) at several strides in words. Strides ascend and begin with 1.
struct banks_curve {
    const double *strides, *times;
    size_t count;
};

// Returns the number of banks. Threads that are s words apart use banks / gcd(s, banks) different
// banks. So the time grows with every power of two up to s = banks, where all threads use one bank,
// and is constant beyond. Banks are counted as if they were 4 bytes wide: 32 banks of 8 bytes look
// like 64 banks of 4 bytes. Returns 0 if the number is not known: because no stride takes twice the
// time of stride 1, no power of two above the number was measured, the time falls again, or odd
// strides take longer than stride 1 too.
unsigned banks_count(const struct banks_curve *curve);

#endif
