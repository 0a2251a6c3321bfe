// SPDX-License-Identifier: MIT
#include "math/permute.h"

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x85ebca6b);
    x ^= x >> 13;
    x *= UINT32_C(0xc2b2ae35);
    return x ^ x >> 16;
}

static uint32_t significant_bits(uint32_t x)
{
    uint32_t bits = 0;
    for (; x; x >>= 1)
        bits++;
    return bits;
}

uint32_t permute_index(uint32_t i, uint32_t n, uint32_t key)
{
    uint32_t last = n - 1, bits = significant_bits(last);
    uint32_t high_bits = bits / 2, low_bits = bits - high_bits;
    uint32_t high_mask = (UINT32_C(1) << high_bits) - 1, low_mask = (UINT32_C(1) << low_bits) - 1;
    key = mix(key);
    do {
        uint32_t low = i & low_mask, high = i >> low_bits, round_key = key;
        for (int pair = 0; pair < 4; pair++) {
            high ^= mix(low + (round_key += UINT32_C(0x9e3779b9))) & high_mask;
            low ^= mix(high + (round_key += UINT32_C(0x9e3779b9))) & low_mask;
        }
        i = high << low_bits | low;
    } while (i > last);
    return i;
}
