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

// Returns the number of banks of shared memory; 0 if it is not known.
//
// If neighbouring threads load words that are s words apart, they use banks / gcd(s, banks)
// different banks. So the time of a load grows with every power of two up to s = banks. There all
// threads use one bank, and larger strides take the same time. The banks are counted as if they
// were 4 bytes wide: 32 banks of 8 bytes look like 64 banks of 4 bytes.
//
// The number is not known in four cases. No stride takes twice the time of stride 1. No power of
// two above the number was measured. The time falls again at larger strides. Or an odd stride takes
// longer than stride 1.
unsigned banks_count(const struct banks_curve *curve);

#endif
