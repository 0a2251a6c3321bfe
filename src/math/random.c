// SPDX-License-Identifier: MIT
#include "math/random.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t rotate_left(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

void random_init(struct random *random, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++)
        random->state[i] = splitmix64(&seed);
}

uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    // Rejects numbers below 2^64 mod bound, because otherwise small results would be more likely.
    uint64_t reject = (UINT64_C(0) - bound) % bound, x;
    do
        x = random_next(random);
    while (x < reject);
    return x % bound;
}

double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

void random_shuffle(struct random *random, size_t *items, size_t count)
{
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)random_below(random, left), item = items[left - 1];
        items[left - 1] = items[chosen];
        items[chosen] = item;
    }
}
