// SPDX-License-Identifier: MIT
#include "bench/fma_chain.h"

#include <math.h>
#include <string.h>

enum {
    HALF_MANTISSA_BITS = 10,
    HALF_EXPONENT_LEAST = -14,
    DOUBLE_MANTISSA_BITS = 52,
    DOUBLE_EXPONENT_MASK = 0x7ff,
    DOUBLE_BIAS = 1023
};
static const double constant = -1.8;

static int half_exponent(double value)
{
    int exponent;
    frexp(value, &exponent);
    return exponent - 1 < HALF_EXPONENT_LEAST ? HALF_EXPONENT_LEAST : exponent - 1;
}

// Returns 2^exponent. The result must be a normal number.
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA_BITS;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// Returns the integer nearest to `value`, ties to even; |value| must be below 2^51. The addition of
// 1.5 · 2^52 rounds, because doubles of this size have no bits for fractions.
static double round_whole(double value)
{
    const double large = 6755399441055744; // this is 1.5 · 2^52
    return value + large - large;
}

// This function is called millions of times per case. frexp() and ldexp() would be too slow here.
double fma_round(enum fma_number number, double value)
{
    uint64_t bits;
    if (number == FMA_F32)
        return (float)value;
    if (number == FMA_F64 || value == 0)
        return value;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> DOUBLE_MANTISSA_BITS & DOUBLE_EXPONENT_MASK) - DOUBLE_BIAS;
    int places =
        HALF_MANTISSA_BITS - (exponent < HALF_EXPONENT_LEAST ? HALF_EXPONENT_LEAST : exponent);
    double size = round_whole(fabs(value) * power_of_two(places)) * power_of_two(-places);
    return value < 0 ? -size : size; // keeps the sign: a small negative value becomes −0
}

static uint64_t half_bits(double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (value == 0)
        return sign;
    int exponent = half_exponent(value);
    uint32_t mantissa = (uint32_t)ldexp(fabs(value), HALF_MANTISSA_BITS - exponent);
    uint32_t biased = mantissa >> HALF_MANTISSA_BITS ? (uint32_t)(exponent + 15) : 0;
    return sign | biased << HALF_MANTISSA_BITS | (mantissa & 0x3ff);
}

uint64_t fma_bits(enum fma_number number, double rounded)
{
    float single = (float)rounded;
    uint32_t word;
    uint64_t bits;
    if (number == FMA_F64) {
        memcpy(&bits, &rounded, sizeof bits);
        return bits;
    }
    if (number != FMA_F32)
        return half_bits(rounded);
    memcpy(&word, &single, sizeof word);
    return word;
}

// Computes one step x·x + b of a chain. If `fused` is false, also rounds the product. For f16,
// doubles hold x·x + b exactly while values stay below 2.
static double step(enum fma_number number, double x, double b, bool fused)
{
    if (!fused)
        return fma_round(number, fma_round(number, x * x) + b);
    if (number == FMA_F32)
        return fmaf((float)x, (float)x, (float)b);
    if (number == FMA_F64)
        return fma(x, x, b);
    return fma_round(number, x * x + b);
}

static struct fma_chain follow(enum fma_number number, unsigned chain, uint64_t steps)
{
    // Chain i starts at (i + 1) / golden ratio modulo 1, scaled to −1 … 1. So all starts differ.
    double x = fma_round(number, 2 * fmod((chain + 1) * 0.6180339887, 1) - 1);
    double fused = x, rounded = x, b = fma_round(number, constant);
    for (uint64_t i = 0; i < steps; i++) {
        fused = step(number, fused, b, true);
        rounded = step(number, rounded, b, false);
    }
    return (struct fma_chain){fma_bits(number, x), fma_bits(number, fused),
                              fma_bits(number, rounded)};
}

uint64_t fma_chain_constant(enum fma_number number)
{
    uint64_t bits = fma_bits(number, fma_round(number, constant));
    return number == FMA_F16X2 ? bits | bits << 16 : bits;
}

void fma_chain_follow(enum fma_number number, uint64_t steps, struct fma_chain chains[FMA_CHAINS])
{
    struct fma_chain next = follow(number, FMA_CHAINS, steps);
    for (unsigned i = FMA_CHAINS; i-- > 0;) {
        struct fma_chain own = follow(number, i, steps);
        chains[i] = own;
        // A word of FMA_F16X2 has chain i in its low half, and chain i + 1 in its high half.
        if (number == FMA_F16X2)
            chains[i] =
                (struct fma_chain){own.start | next.start << 16, own.fused | next.fused << 16,
                                   own.rounded | next.rounded << 16};
        next = own;
    }
}
