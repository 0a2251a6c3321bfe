// SPDX-License-Identifier: MIT
#include "bench/fma_chain.h"
#include "bench/incore/kind.h"

#include <math.h>
#include <string.h>

enum {
    SETTLED_STEPS = 1024 // of functions that come to a fixed value, or to two in turn
};

static const double add_a = 0.37, mul_a = 1.7, function_a = 3.1;

// The same order.
static enum fma_number number_of(const struct incore_kind *kind)
{
    return (enum fma_number)kind->number;
}

// ---------------------------------------------------------------- floats

struct constants {
    double a, b;
};

static struct constants constants_of(const struct incore_kind *kind)
{
    switch (kind->operation) {
    case INCORE_ADD:
        return (struct constants){add_a, -add_a};
    case INCORE_MUL:
        return (struct constants){mul_a, 1 / mul_a};
    default:
        return (struct constants){function_a, 0};
    }
}

// Different for each chain, between 1 and 2.
static double start_of(unsigned chain)
{
    return 1 + fmod((chain + 1) * 0.6180339887, 1);
}

static double function_of(const struct incore_kind *kind, double x, double a, bool second)
{
    switch (kind->operation) {
    case INCORE_DIV:
        return a / x;
    case INCORE_SQRT:
        return sqrt(x);
    case INCORE_RCP:
        return 1 / (x + a);
    case INCORE_RSQRT:
        return 1 / sqrt(x);
    case INCORE_EXP2:
        return exp2(-x);
    default:
        return second ? cos(x) : sin(x);
    }
}

static double float_chain(const struct incore_kind *kind, double x, uint64_t steps)
{
    enum fma_number number = number_of(kind);
    struct constants c = constants_of(kind);
    double a = fma_round(number, c.a), b = fma_round(number, c.b);
    bool is_function = kind->operation >= INCORE_DIV;
    if (is_function && steps > SETTLED_STEPS)
        steps = SETTLED_STEPS + steps % 2;
    for (uint64_t i = 0; i < steps; i++) {
        if (is_function)
            x = function_of(kind, x, a, i % 2);
        else if (kind->operation == INCORE_ADD)
            x = fma_round(number, x + (i % 2 ? b : a));
        else
            x = fma_round(number, x * (i % 2 ? b : a));
    }
    return fma_round(number, x);
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
    uint32_t *at = words + (size_t)slot * 2;
    at[0] = (uint32_t)value;
    at[1] = wide ? (uint32_t)(value >> 32) : 0;
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

static void fill_fma(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    struct fma_chain chains[FMA_CHAINS];
    fma_chain_follow(number_of(kind), steps, chains);
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        set_slot(kind, words, INCORE_START + i, chains[i].start);
        set_slot(kind, words, INCORE_FUSED + i, chains[i].fused);
        set_slot(kind, words, INCORE_ROUNDED + i, chains[i].rounded);
    }
    set_slot(kind, words, INCORE_B, fma_chain_constant(number_of(kind)));
}

static void fill_floats(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    enum fma_number number = number_of(kind);
    struct constants c = constants_of(kind);
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        double start = fma_round(number, start_of(i));
        uint64_t end = fma_bits(number, float_chain(kind, start, steps));
        set_slot(kind, words, INCORE_START + i, fma_bits(number, start));
        set_slot(kind, words, INCORE_FUSED + i, end);
        set_slot(kind, words, INCORE_ROUNDED + i, end);
    }
    set_slot(kind, words, INCORE_A, fma_bits(number, fma_round(number, c.a)));
    set_slot(kind, words, INCORE_B, fma_bits(number, fma_round(number, c.b)));
}

void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    memset(words, 0, sizeof(uint32_t[2 * INCORE_SLOTS]));
    if (kind->number == INCORE_TILE || kind->operation >= INCORE_DOT)
        incore_kind_fill_special(kind, steps, words);
    else if (kind->number == INCORE_I32 || kind->number == INCORE_I64)
        fill_integers(kind, steps, words);
    else if (kind->operation == INCORE_FMA)
        fill_fma(kind, steps, words);
    else
        fill_floats(kind, steps, words);
}
