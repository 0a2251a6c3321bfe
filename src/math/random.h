// SPDX-License-Identifier: MIT Seeded random numbers, for the order of visits and for test data.
// They are the same on every machine, and not suitable for secrets. The generator is xoshiro256**
// (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47, 2021; public
// domain). Its seed comes from splitmix64, as its authors advise.
#ifndef MATH_RANDOM_H
#define MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);

uint64_t random_next(struct random *random);

// Returns a uniform number in [0, bound), without bias; bound > 0.
uint64_t random_below(struct random *random, uint64_t bound);

// Returns a uniform number in [0, 1), a multiple of 2^−53.
double random_unit(struct random *random);

// Shuffles the items; all orders are equally likely (Fisher and Yates; Durstenfeld, CACM 7, 1964).
void random_shuffle(struct random *random, size_t *items, size_t count);

#endif
