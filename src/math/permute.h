// SPDX-License-Identifier: MIT
// A keyed bijection π on [0, n), which is the same in C, in GLSL (bench/prelude/permute.glsl) and
// in OpenCL C. A kernel uses it to build a random cycle in parallel, next[π(i)] = π(i + 1 mod n).
// The host can check the cycle by a closed formula: hop k is at π(k).
//
// π is a Feistel network without swaps over the smallest power of two ≥ n. It is applied repeatedly
// until the value falls inside [0, n) (cycle walking: Black and Rogaway, "Ciphers with Arbitrary
// Finite Domains", CT-RSA 2002). The exact definition, in unsigned 32-bit arithmetic modulo 2^32:
//
//     n = 0 stands for 2^32;  last = n − 1
//     bits = number of significant bits of last (0 for n = 1, 32 for n = 2^32)
//     low  = bits − bits/2 (rounded down)  — the low half is the wider one when bits is odd
//     low_mask = 2^low − 1;  high_mask = 2^(bits/2) − 1
//     key' = mix(key)
//     do {
//         l = i & low_mask;  h = i >> low
//         for r = 0, 2, 4, 6:
//             h ^= mix(l + key' + (r + 1) · 0x9e3779b9) & high_mask
//             l ^= mix(h + key' + (r + 2) · 0x9e3779b9) & low_mask
//         i = h << low | l
//     } while (i > last)
//     π(i) = i
//
//     mix(x): x ^= x >> 16; x *= 0x85ebca6b; x ^= x >> 13; x *= 0xc2b2ae35; x ^= x >> 16
//
// mix is the finaliser of MurmurHash3 (Austin Appleby, public domain). 0x9e3779b9 is 2^32 divided
// by the golden ratio, as in Knuth's multiplicative hashing. A walk takes fewer than two steps on
// average. Over all keys, each index is mapped to each place about equally often (within 6 % for 5
// ≤ n ≤ 7). The permutation is not suitable for secrets.
#ifndef MATH_PERMUTE_H
#define MATH_PERMUTE_H

#include <stdint.h>

// Returns π(i). `key` selects the permutation π of 0 … n − 1. i must be below n; n = 0 means 2^32.
// Different keys mostly give different permutations, unless n is small.
uint32_t permute_index(uint32_t i, uint32_t n, uint32_t key);

#endif
