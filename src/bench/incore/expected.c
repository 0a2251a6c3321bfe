// SPDX-License-Identifier: MIT
// Computes on the host the last values of the chains. Kernels compare their results with these
// values.
#include "bench/fma_chain.h"
#include "bench/incore/session.h"

#include <math.h>
#include <string.h>

enum {
    // Chains of INCORE_DIV to INCORE_SIN on floats settle within this many steps: x then stays the
    // same or alternates between two values. So the host computes at most one step more.
    SETTLED_STEPS = 1024,
    SHIFT_BITS = 3,
    // Each step inverts the votes of the lanes in this bit set. Only the first four lanes ever vote
    // 1, so a subgroup needs four lanes.
    VOTED = 5,
    FOUR_LANES = 15,
    // The smallest of the constants that lanes add to x, which differ between lanes. Lane 1 adds
    // it.
    LEAST_OF_ALL = 3,
    BYTES = 4
};
static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15), lehmer = UINT64_C(0xd1342543de82ef95);

// First and last values of a chain, as bit patterns: two packed halves, or in a mixed chain a float
// (low word) and an integer (high word).
struct chain {
    uint64_t start;  // first value of x
    uint64_t second; // first value of y, in chains of integers
    // The last value of x (of y, if integers are added or multiplied): `fused` if an fma rounds
    // once, `rounded` if it rounds twice. Without an fma, both are equal.
    uint64_t fused, rounded;
};

struct constants {
    uint64_t a, b;
};

// Returns the type of the chain's numbers. enum fma_number has the same order as INCORE_F32 …
static enum fma_number number_of(const struct incore_kind *kind)
{
    return (enum fma_number)kind->number;
}

static bool is_integer(const struct incore_kind *kind)
{
    return kind->number == INCORE_I32 || kind->number == INCORE_I64;
}

static uint64_t halves(double low, double high)
{
    return fma_bits(FMA_F16, low) | fma_bits(FMA_F16, high) << 16;
}

static uint64_t words_of(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

// ---------------------------------------------------------------- floats

static double float_constant(const struct incore_kind *kind, bool second)
{
    double value = second ? 0 : 3.1;
    if (kind->operation == INCORE_ADD)
        value = second ? -0.37 : 0.37;
    else if (kind->operation == INCORE_MUL)
        value = second ? 1 / 1.7 : 1.7;
    return fma_round(number_of(kind), value);
}

static double float_step(const struct incore_kind *kind, double x, bool second)
{
    double constant = float_constant(kind, second), a = float_constant(kind, false);
    switch (kind->operation) {
    case INCORE_ADD:
        return fma_round(number_of(kind), x + constant);
    case INCORE_MUL:
        return fma_round(number_of(kind), x * constant);
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

static struct chain float_chain(const struct incore_kind *kind, unsigned number, uint64_t steps)
{
    // each chain starts at another value, from 1 to 2
    double x = fma_round(number_of(kind), 1 + fmod((number + 1) * 0.6180339887, 1));
    struct chain chain = {.start = fma_bits(number_of(kind), x)};
    if (kind->operation >= INCORE_DIV && steps > SETTLED_STEPS)
        steps = SETTLED_STEPS + steps % 2;
    for (uint64_t i = 0; i < steps; i++)
        x = float_step(kind, x, i % 2);
    chain.fused = chain.rounded = fma_bits(number_of(kind), fma_round(number_of(kind), x));
    return chain;
}

// ---------------------------------------------------------------- integers

static uint32_t popcount(uint32_t x)
{
    uint32_t count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

static struct constants integer_constants(const struct incore_kind *kind)
{
    switch (kind->operation) {
    case INCORE_MAD:
        // Constants of a random number generator in Numerical Recipes, whose period is 2^32.
        return (struct constants){1664525, 1013904223};
    case INCORE_DIV:
        return (struct constants){4000000007, 4000000007};
    default:
        return (struct constants){SHIFT_BITS, SHIFT_BITS};
    }
}

static uint32_t integer_step(const struct incore_kind *kind, uint32_t x, bool second)
{
    const struct constants c = integer_constants(kind);
    switch (kind->operation) {
    case INCORE_MAD:
        return x * (uint32_t)c.a + (uint32_t)c.b;
    case INCORE_DIV:
        return (uint32_t)c.a / x;
    case INCORE_SHIFT:
        return second ? x >> c.b : x << c.a;
    default:
        return popcount(x);
    }
}

static struct chain integer_chain(const struct incore_kind *kind, unsigned number, uint64_t steps)
{
    const uint64_t mask = kind->number == INCORE_I64 ? UINT64_MAX : UINT32_MAX;
    uint64_t word = golden * (number + 1), x = word | 1;
    // The factors x and y of products are odd, so no product modulo 2^32 or 2^64 is 0.
    uint64_t y = lehmer * (2 * number + 1) | 1;
    if (kind->operation == INCORE_DIV)
        x = 50000 + (word >> 50);
    else if (kind->number == INCORE_I32)
        x = word >> 32 | 1;
    struct chain chain = {.start = x & mask, .second = y & mask};
    bool is_pair = kind->operation == INCORE_ADD || kind->operation == INCORE_MUL;
    for (uint64_t i = 0; i < steps; i++)
        if (is_pair)
            *(i % 2 ? &y : &x) = kind->operation == INCORE_ADD ? x + y : x * y;
        else
            x = integer_step(kind, (uint32_t)x, i % 2);
    chain.fused = chain.rounded = (is_pair ? y : x) & mask;
    return chain;
}

// ---------------------------------------------------------------- more than one number

// Returns the last values d and e of a chain of dot products. The next value is d − e, so the
// values repeat after six steps; all are small integers, exact in f16.
static uint64_t dot_after(unsigned number, uint64_t steps)
{
    double d = 1 + (double)number, e = 40 - 2 * (double)number;
    for (uint64_t i = 0; i < steps % 6; i++) {
        double next = d - e;
        e = d;
        d = next;
    }
    return halves(d, e);
}

static uint32_t dot4(uint32_t x, uint32_t y, uint32_t z)
{
    for (unsigned byte = 0; byte < BYTES; byte++)
        z += (x >> 8 * byte & 0xff) * (y >> 8 * byte & 0xff);
    return z;
}

static struct constants special_constants(const struct incore_kind *kind)
{
    switch (kind->operation) {
    case INCORE_DOT:
        return (struct constants){halves(1, -1), 0};
    case INCORE_DOT4:
        return (struct constants){0xb7e15163, 0x3c6ef373};
    case INCORE_MIXED:
        return (struct constants){words_of(SHIFT_BITS, SHIFT_BITS), fma_chain_constant(FMA_F32)};
    case INCORE_SHUFFLE:
        return (struct constants){1, 0};
    case INCORE_VOTE:
        return (struct constants){VOTED, 0};
    default:
        return (struct constants){LEAST_OF_ALL, 0};
    }
}

static uint32_t special_start(const struct incore_kind *kind, unsigned number)
{
    uint32_t word = (uint32_t)(golden >> 32) * (number + 1);
    switch (kind->operation) {
    case INCORE_DOT:
        return (uint32_t)dot_after(number, 0);
    case INCORE_VOTE:
        return 7 * number & FOUR_LANES;
    case INCORE_LEAST:
        return word >> 8; // small start, so that no sum overflows
    default:
        return word;
    }
}

static struct chain special_chain(const struct incore_kind *kind, unsigned number, uint64_t steps)
{
    const struct constants c = special_constants(kind);
    uint32_t start = special_start(kind, number), x = start;
    switch (kind->operation) {
    case INCORE_DOT:
        x = (uint32_t)dot_after(number, steps);
        break;
    case INCORE_DOT4:
        for (uint64_t i = 0; i < steps; i++)
            x = dot4(x, (uint32_t)c.a, (uint32_t)c.b);
        break;
    // An odd number of steps leads to the neighbouring chain, whose number differs in the lowest
    // bit.
    case INCORE_SHUFFLE:
        x = special_start(kind, number ^ (unsigned)(steps % 2));
        break;
    case INCORE_VOTE:
        x ^= steps % 2 ? VOTED : 0;
        break;
    case INCORE_LEAST:
        x += LEAST_OF_ALL * (uint32_t)steps;
        break;
    default: // a barrier does not change x
        break;
    }
    return (struct chain){start, 0, x, x};
}

// Returns the values of a chain of fma; a mixed chain also has an integer in the high word.
static struct chain fused_chain(const struct incore_kind *kind, const struct fma_chain *followed,
                                unsigned number, uint64_t steps)
{
    struct chain chain = {followed->start, 0, followed->fused, followed->rounded};
    if (kind->operation == INCORE_FMA)
        return chain;
    uint32_t y = (uint32_t)(golden >> 32) * (number + 1);
    uint32_t end = steps ? y & UINT32_MAX >> SHIFT_BITS : y;
    end = steps % 2 ? end << SHIFT_BITS : end;
    chain.start |= words_of(0, y);
    chain.fused |= words_of(0, end);
    chain.rounded |= words_of(0, end);
    return chain;
}

// ---------------------------------------------------------------- slots

static void put(uint32_t *words, unsigned slot, uint64_t value)
{
    words += (size_t)2 * slot;
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

// Fills in the values for D += A × B on matrix tiles of elements 0.25 and 0.5. INCORE_SECOND gets
// the growth of an element of D if all products are 0.25 × 0.25: 16 products a step, exact below
// 2^21. With 8-bit floats, only the last step's 32 products count, because the others cancel out
// (tiles.clh).
static void fill_tiles(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    static const uint64_t elements[] = {// low word: copies of 0.25; high word: copies of 0.5
                                        [INCORE_TILE_F16] = UINT64_C(0x3800380034003400),
                                        [INCORE_TILE_BF16] = UINT64_C(0x3f003f003e803e80),
                                        [INCORE_TILE_E4M3] = UINT64_C(0x3030303028282828)};
    double products = kind->operation == INCORE_TILE_E4M3 ? 32 : 16 * (double)steps;
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++)
        put(words, INCORE_START + i, fma_bits(FMA_F32, i));
    put(words, INCORE_A, elements[kind->operation]);
    put(words, INCORE_B, elements[kind->operation]);
    put(words, INCORE_SECOND, fma_bits(FMA_F32, products * 0.25 * 0.25));
}

static struct constants constants_of(const struct incore_kind *kind)
{
    if (kind->operation >= INCORE_DOT)
        return special_constants(kind);
    if (is_integer(kind))
        return integer_constants(kind);
    if (kind->operation == INCORE_FMA)
        return (struct constants){0, fma_chain_constant(number_of(kind))};
    return (struct constants){fma_bits(number_of(kind), float_constant(kind, false)),
                              fma_bits(number_of(kind), float_constant(kind, true))};
}

void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    memset(words, 0, sizeof(uint32_t[2 * INCORE_SLOTS]));
    if (kind->number == INCORE_TILE) {
        fill_tiles(kind, steps, words);
        return;
    }
    struct fma_chain followed[FMA_CHAINS];
    bool is_fused = kind->operation == INCORE_FMA || kind->operation == INCORE_MIXED;
    if (is_fused)
        fma_chain_follow(number_of(kind), steps, followed);
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        struct chain chain;
        if (is_fused)
            chain = fused_chain(kind, &followed[i], i, steps);
        else if (kind->operation >= INCORE_DOT)
            chain = special_chain(kind, i, steps);
        else
            chain = is_integer(kind) ? integer_chain(kind, i, steps) : float_chain(kind, i, steps);
        put(words, INCORE_START + i, chain.start);
        put(words, INCORE_SECOND + i, chain.second);
        put(words, INCORE_FUSED + i, chain.fused);
        put(words, INCORE_ROUNDED + i, chain.rounded);
    }
    const struct constants c = constants_of(kind);
    put(words, INCORE_A, c.a);
    put(words, INCORE_B, c.b);
}
