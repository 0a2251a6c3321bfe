// SPDX-License-Identifier: MIT
// Chains of x·x + b that kernels run and the host follows, bit for bit: with b = −1.8 values stay
// between −1.8 and 1.44 for ever and never repeat for long, and one rounding elsewhere gives
// another end. incore and roofline are made of them.
#ifndef BENCH_FMA_CHAIN_H
#define BENCH_FMA_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum fma_number {
    FMA_F32,
    FMA_F64,
    FMA_F16,
    FMA_F16X2, // two halves in a word, each a chain of its own
};

enum {
    FMA_CHAINS = 16 // that begin differently
};

// Bits, in the low word but for doubles.
struct fma_chain {
    uint64_t start;
    uint64_t fused;   // the end, where each step rounds once
    uint64_t rounded; // where it rounds twice: a product, then a sum
};

// The constant b.
uint64_t fma_chain_constant(enum fma_number number);

// Fills `chains` as they are after so many steps.
void fma_chain_follow(enum fma_number number, uint64_t steps, struct fma_chain chains[FMA_CHAINS]);

// A value rounded to the number's nearest, ties to even (of a pair: to a half), and its bits.
double fma_round(enum fma_number number, double value);
uint64_t fma_bits(enum fma_number number, double rounded);

#endif
