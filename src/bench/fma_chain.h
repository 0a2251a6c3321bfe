// SPDX-License-Identifier: MIT
// Chains of x·x + b that kernels run and the host computes again, bit for bit. With b = −1.8 the
// values always stay between −1.8 and 1.44 and do not repeat for long, and one different rounding
// gives a different end. For incore and roofline.
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
    FMA_CHAINS = 16 // with different starts
};

// The bits of values; only doubles use the high word.
struct fma_chain {
    uint64_t start;
    uint64_t fused;   // the end, if each step rounds once
    uint64_t rounded; // the end, if each step rounds twice: its product, then its sum
};

// The constant b.
uint64_t fma_chain_constant(enum fma_number number);

// Computes each chain up to `steps` steps.
void fma_chain_follow(enum fma_number number, uint64_t steps, struct fma_chain chains[FMA_CHAINS]);

// Rounds a value to the nearest number of this kind, ties to even (FMA_F16X2: to a half).
// fma_bits gives the bits of a rounded value.
double fma_round(enum fma_number number, double value);
uint64_t fma_bits(enum fma_number number, double rounded);

#endif
