// SPDX-License-Identifier: MIT
// Chains of steps x ← x·x + b, which kernels run and the host computes again, bit for bit. With b =
// −1.8 the values stay between −1.8 and 1.44 and repeat only after many steps. If a single step is
// rounded differently, the last value differs. The benchmarks incore and roofline use these chains.
#ifndef BENCH_FMA_CHAIN_H
#define BENCH_FMA_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum fma_number {
    FMA_F32,
    FMA_F64,
    FMA_F16,
    FMA_F16X2, // a word of two f16 numbers; each of them belongs to a chain of its own
};

enum {
    FMA_CHAINS = 16 // number of chains; each starts at a different value
};

// The values of a chain as bit patterns. Only values of type f64 use the upper 32 bits.
struct fma_chain {
    uint64_t start;
    uint64_t fused;   // last value if each step rounds once
    uint64_t rounded; // last value if each step rounds twice: the product, and then the sum
};

// Returns the bit pattern of the constant b. For FMA_F16X2, both halves of the low word contain b.
uint64_t fma_chain_constant(enum fma_number number);

// Computes `steps` steps of each chain and fills `chains`.
void fma_chain_follow(enum fma_number number, uint64_t steps, struct fma_chain chains[FMA_CHAINS]);

// fma_round returns the number of this type that is nearest to `value`, ties to even (for
// FMA_F16X2: the nearest f16). fma_bits returns the bit pattern of a value that fma_round returned.
double fma_round(enum fma_number number, double value);
uint64_t fma_bits(enum fma_number number, double rounded);

#endif
