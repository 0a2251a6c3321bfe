// SPDX-License-Identifier: MIT
#include "bench/incore/kind.h"

#include <math.h>
#include <string.h>

enum {
    SETTLED_STEPS = 1024, // of functions that come to a fixed value, or to two in turn
    HALF_MANTISSA_BITS = 10,
    HALF_EXPONENT_LEAST = -14
};

// x² − 1.8 stays between −1.8 and 1.44 for ever and never repeats for long.
static const double fma_b = -1.8, add_a = 0.37, mul_a = 1.7, div_a = 3.1;

struct constants {
    double a, b;
};

static struct constants constants_of(const struct incore_kind *kind)
{
    switch (kind->operation) {
    case INCORE_FMA:
        return (struct constants){0, fma_b};
    case INCORE_ADD:
        return (struct constants){add_a, -add_a};
    case INCORE_MUL:
        return (struct constants){mul_a, 1 / mul_a};
    default:
        return (struct constants){div_a, 0};
    }
}

// Different for each chain: between −1 and 1 for fma, else between 1 and 2.
static double start_of(const struct incore_kind *kind, unsigned chain)
{
    double part = fmod((chain + 1) * 0.6180339887, 1);
    return kind->operation == INCORE_FMA ? 2 * part - 1 : 1 + part;
}

// ---------------------------------------------------------------- floats

// Rounded as `number` has it: to nearest, ties to even.
static double round_to(unsigned number, double value)
{
    if (number == INCORE_F32)
        return (float)value;
    if (number == INCORE_F64 || value == 0)
        return value;
    int exponent;
    frexp(value, &exponent);
    exponent = exponent - 1 < HALF_EXPONENT_LEAST ? HALF_EXPONENT_LEAST : exponent - 1;
    return ldexp(nearbyint(ldexp(value, HALF_MANTISSA_BITS - exponent)),
                 exponent - HALF_MANTISSA_BITS);
}

// A product of halves is exact in a double, and so is the sum with b while values stay below 2.
static double fma_in(unsigned number, double x, double b, bool fused)
{
    if (!fused)
        return round_to(number, round_to(number, x * x) + b);
    if (number == INCORE_F32)
        return fmaf((float)x, (float)x, (float)b);
    if (number == INCORE_F64)
        return fma(x, x, b);
    return round_to(number, x * x + b);
}

static double exact_chain(const struct incore_kind *kind, double x, uint64_t steps, bool fused)
{
    struct constants c = constants_of(kind);
    double a = round_to(kind->number, c.a), b = round_to(kind->number, c.b);
    x = round_to(kind->number, x);
    for (uint64_t i = 0; i < steps; i++) {
        if (kind->operation == INCORE_FMA)
            x = fma_in(kind->number, x, b, fused);
        else if (kind->operation == INCORE_ADD)
            x = round_to(kind->number, x + (i % 2 ? b : a));
        else
            x = round_to(kind->number, x * (i % 2 ? b : a));
    }
    return x;
}

static double inexact_chain(const struct incore_kind *kind, double x, uint64_t steps)
{
    double a = round_to(kind->number, div_a);
    x = round_to(kind->number, x);
    if (steps > SETTLED_STEPS)
        steps = SETTLED_STEPS + steps % 2;
    for (uint64_t i = 0; i < steps; i++) {
        switch (kind->operation) {
        case INCORE_DIV:
            x = a / x;
            break;
        case INCORE_SQRT:
            x = sqrt(x);
            break;
        case INCORE_RCP:
            x = 1 / x;
            break;
        case INCORE_RSQRT:
            x = 1 / sqrt(x);
            break;
        case INCORE_EXP2:
            x = exp2(-x);
            break;
        default:
            x = i % 2 ? cos(x) : sin(x);
        }
    }
    return x;
}

static uint32_t half_bits(double value)
{
    if (value == 0)
        return signbit(value) ? 0x8000 : 0;
    int exponent;
    frexp(value, &exponent);
    exponent = exponent - 1 < HALF_EXPONENT_LEAST ? HALF_EXPONENT_LEAST : exponent - 1;
    uint32_t mantissa = (uint32_t)ldexp(fabs(value), HALF_MANTISSA_BITS - exponent);
    uint32_t biased = mantissa >> HALF_MANTISSA_BITS ? (uint32_t)(exponent + 15) : 0;
    return (value < 0 ? 0x8000u : 0u) | biased << HALF_MANTISSA_BITS | (mantissa & 0x3ff);
}

// `value` is one of the number's. Low word, high word.
static uint64_t float_bits(unsigned number, double value)
{
    float single = (float)value;
    uint32_t low;
    uint64_t bits;
    if (number == INCORE_F64) {
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (number != INCORE_F32)
        return half_bits(value);
    memcpy(&low, &single, sizeof low);
    return low;
}

static uint64_t float_chain(const struct incore_kind *kind, double x, uint64_t steps, bool fused)
{
    double end = kind->operation >= INCORE_DIV ? inexact_chain(kind, x, steps)
                                               : exact_chain(kind, x, steps, fused);
    return float_bits(kind->number, round_to(kind->number, end));
}

// ---------------------------------------------------------------- integers

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15), lehmer = UINT64_C(0xd1342543de82ef95);

static uint64_t integer_start(const struct incore_kind *kind, unsigned chain)
{
    uint64_t word = golden * (chain + 1);
    if (kind->operation == INCORE_DIV)
        return 50000 + (word >> 50);
    return kind->number == INCORE_I32 ? word >> 32 | 1 : word | 1;
}

// Odd, so that products never fade.
static uint64_t integer_second(unsigned chain)
{
    return lehmer * (2 * chain + 1) | 1;
}

static uint64_t integer_constant(const struct incore_kind *kind, bool second)
{
    switch (kind->operation) {
    case INCORE_MAD:
        return second ? 1013904223 : 1664525; // Numerical Recipes' generator: of full period
    case INCORE_DIV:
        return 4000000007;
    default:
        return 3; // bits to shift
    }
}

static uint32_t popcount(uint32_t x)
{
    uint32_t count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

static uint32_t integer_step(const struct incore_kind *kind, uint32_t x, bool second)
{
    uint32_t a = (uint32_t)integer_constant(kind, false);
    uint32_t b = (uint32_t)integer_constant(kind, true);
    switch (kind->operation) {
    case INCORE_MAD:
        return x * a + b;
    case INCORE_DIV:
        return a / x;
    case INCORE_SHIFT:
        return second ? x >> b : x << a;
    default:
        return popcount(x);
    }
}

static uint64_t pair_chain(const struct incore_kind *kind, unsigned chain, uint64_t steps)
{
    uint64_t x = integer_start(kind, chain), y = integer_second(chain);
    for (uint64_t i = 0; i < steps; i++) {
        if (kind->operation == INCORE_ADD)
            *(i % 2 ? &y : &x) = x + y;
        else
            *(i % 2 ? &y : &x) = x * y;
    }
    return y;
}

static uint64_t integer_chain(const struct incore_kind *kind, unsigned chain, uint64_t steps)
{
    if (kind->operation == INCORE_ADD || kind->operation == INCORE_MUL)
        return pair_chain(kind, chain, steps);
    uint32_t x = (uint32_t)integer_start(kind, chain);
    for (uint64_t i = 0; i < steps; i++)
        x = integer_step(kind, x, i % 2);
    return x;
}

// ---------------------------------------------------------------- slots

static void set_slot(const struct incore_kind *kind, uint32_t *words, unsigned slot, uint64_t value)
{
    bool wide = kind->number == INCORE_F64 || kind->number == INCORE_I64;
    words[2 * slot] = (uint32_t)value;
    words[2 * slot + 1] = wide ? (uint32_t)(value >> 32) : 0;
}

static void fill_integers(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    for (unsigned chain = 0; chain < INCORE_PEAK_CHAINS; chain++) {
        uint64_t end = integer_chain(kind, chain, steps);
        set_slot(kind, words, INCORE_START + chain, integer_start(kind, chain));
        set_slot(kind, words, INCORE_SECOND + chain, integer_second(chain));
        set_slot(kind, words, INCORE_FUSED + chain, end);
        set_slot(kind, words, INCORE_ROUNDED + chain, end);
    }
    set_slot(kind, words, INCORE_A, integer_constant(kind, false));
    set_slot(kind, words, INCORE_B, integer_constant(kind, true));
}

// A packed half's other one is the next chain's.
static uint64_t packed(const struct incore_kind *kind, uint64_t value, uint64_t other)
{
    return kind->number == INCORE_F16X2 ? value | other << 16 : value;
}

static void fill_floats(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    enum {
        CHAINS = INCORE_PEAK_CHAINS + 1
    };
    uint64_t start[CHAINS], fused[CHAINS], rounded[CHAINS];
    for (unsigned chain = 0; chain < CHAINS; chain++) {
        double x = start_of(kind, chain);
        start[chain] = float_bits(kind->number, round_to(kind->number, x));
        fused[chain] = float_chain(kind, x, steps, true);
        rounded[chain] = float_chain(kind, x, steps, false);
    }
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        set_slot(kind, words, INCORE_START + i, packed(kind, start[i], start[i + 1]));
        set_slot(kind, words, INCORE_FUSED + i, packed(kind, fused[i], fused[i + 1]));
        set_slot(kind, words, INCORE_ROUNDED + i, packed(kind, rounded[i], rounded[i + 1]));
    }
    struct constants c = constants_of(kind);
    uint64_t a = float_bits(kind->number, round_to(kind->number, c.a));
    uint64_t b = float_bits(kind->number, round_to(kind->number, c.b));
    set_slot(kind, words, INCORE_A, packed(kind, a, a));
    set_slot(kind, words, INCORE_B, packed(kind, b, b));
}

void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    memset(words, 0, sizeof(uint32_t[2 * INCORE_SLOTS]));
    if (kind->number == INCORE_I32 || kind->number == INCORE_I64)
        fill_integers(kind, steps, words);
    else
        fill_floats(kind, steps, words);
}
