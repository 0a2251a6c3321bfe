// SPDX-License-Identifier: MIT
// Chains of steps x ← x·x + b, which kernels run and the host computes again, bit for bit. With b =
// −1.8 the values stay between −1.8 and 1.44 and repeat only after many steps. If a single step is
// rounded differently, the last value nearly always differs. The benchmarks incore and roofline use
// these chains.
#ifndef BENCH_FMA_CHAIN_H
#define BENCH_FMA_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum fma_number {
    FMA_F32,
    FMA_F64,
    FMA_F16,
    FMA_F16X2, // a word with two f16 numbers, which belong to two chains
};

enum {
    FMA_CHAINS = 16 // number of chains; each starts at a different value
};

// First and last values of a chain, as bit patterns. Only f64 values use the upper 32 bits.
struct fma_chain {
    uint64_t start;
    uint64_t fused;   // last value if an fma rounds once
    uint64_t rounded; // last value if an fma rounds twice: first the product, then the sum
};

// Returns the bit pattern of the constant b. For FMA_F16X2, both halves of the low word are b.
uint64_t fma_chain_constant(enum fma_number number);

// Computes `steps` steps of each chain. Fills `chains` with the first and last values.
void fma_chain_follow(enum fma_number number, uint64_t steps, struct fma_chain chains[FMA_CHAINS]);

// fma_round rounds `value` to the nearest number of the type, ties to even (for FMA_F16X2: to f16).
// |value| must be at most the largest number of the type.
// fma_bits returns the bit pattern of a number that fma_round returned.
double fma_round(enum fma_number number, double value);
uint64_t fma_bits(enum fma_number number, double rounded);

#endif
