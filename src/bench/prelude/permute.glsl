// SPDX-License-Identifier: MIT
// The keyed permutation of [0, n) that math/permute.h specifies: permute(i, n, key) returns the
// same as permute_index(i, n, key) on the host. n = 0 stands for 2^32.
#ifndef BENCH_PRELUDE_PERMUTE_GLSL
#define BENCH_PRELUDE_PERMUTE_GLSL

uint permute_mix(uint x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

uint permute(uint i, uint n, uint key)
{
    const uint last = n - 1u;
    const uint bits = uint(findMSB(last) + 1); // findMSB(0) is −1
    const uint high_bits = bits / 2u, low_bits = bits - high_bits;
    const uint high_mask = (1u << high_bits) - 1u, low_mask = (1u << low_bits) - 1u;
    key = permute_mix(key);
    do {
        uint low = i & low_mask, high = i >> low_bits, round_key = key;
        for (int pair = 0; pair < 4; pair++) {
            round_key += 0x9e3779b9u;
            high ^= permute_mix(low + round_key) & high_mask;
            round_key += 0x9e3779b9u;
            low ^= permute_mix(high + round_key) & low_mask;
        }
        i = high << low_bits | low;
    } while (i > last);
    return i;
}

#endif
