// SPDX-License-Identifier: MIT
// Finds the number of banks of shared memory from the times of loads at several strides between
// threads.
#ifndef ANALYSIS_BANKS_H
#define ANALYSIS_BANKS_H

#include <stddef.h>

// The times of a load from shared memory (in any unit), one for each stride. A stride is the
// distance in words between the words that neighbouring threads load. The first stride is 1, and
// strides ascend.
struct banks_curve {
    const double *strides, *times;
    size_t count;
};

// Returns the number of banks of shared memory. Threads that are s words apart use banks / gcd(s,
// banks) different banks. So the time of a load grows with every power of two up to s = banks,
// where all threads use one bank, and is constant beyond. Banks are counted as if they were 4 bytes
// wide: 32 banks of 8 bytes look like 64 banks of 4 bytes. Returns 0 if the number is not known:
// because no stride takes twice the time of stride 1, no power of two above the number was
// measured, the time falls again, or odd strides take longer than stride 1 too.
unsigned banks_count(const struct banks_curve *curve);

#endif
