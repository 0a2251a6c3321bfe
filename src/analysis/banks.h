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
// A stride of s words uses banks / gcd(s, banks) banks. So the number of banks is the power of two
// from which on longer strides take no more time. Banks count as 4 bytes wide: 32 banks of 8 bytes
// look like 64 banks of 4 bytes.
//
// The number is not known if one of these is true:
// - No power of two takes twice the time of stride 1.
// - No power of two above the number was measured.
// - The time falls again at larger strides.
// - An odd stride takes longer than stride 1.
unsigned banks_count(const struct banks_curve *curve);

#endif
