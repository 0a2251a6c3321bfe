// SPDX-License-Identifier: MIT
#ifndef BASE_DIVISOR_H
#define BASE_DIVISOR_H

#include <stdint.h>

// Returns the greatest common divisor of `a` and `b` (Euclid's algorithm); `a` if `b` is 0.
static inline uint64_t divisor_common(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
