// SPDX-License-Identifier: MIT
// What chains come to that are no plain arithmetic of one number: dot products, two numbers side by
// side, lanes of a subgroup together, tiles of the matrix units. All of them exactly.
#include "bench/fma_chain.h"
#include "bench/incore/kind.h"

enum {
    SHIFTED = 3,      // bits
    VOTED = 5,        // bits of the first four lanes: every subgroup has as many
    LEAST_OF_ALL = 3, // what the lane with the least adds: lane 1
    FOUR_LANES = 15,
    BYTES = 4
};
static const uint32_t golden = 0x9e3779b9;

struct words {
    uint32_t low, high;
};

static void put(uint32_t *words, unsigned slot, struct words value)
{
    words += 2 * (size_t)slot;
    words[0] = value.low;
    words[1] = value.high;
}

static uint32_t pair(double low, double high)
{
    return (uint32_t)fma_bits(FMA_F16, low) | (uint32_t)fma_bits(FMA_F16, high) << 16;
}

// ---------------------------------------------------------------- where chains begin and end

// d − e after d and e comes to where it began in six steps, and is exact however an API rounds.
static uint32_t dots(unsigned chain, uint64_t steps)
{
    double d = 1 + (double)chain, e = 40 - 2 * (double)chain;
    for (uint64_t i = 0; i < steps % 6; i++) {
        double next = d - e;
        e = d;
        d = next;
    }
    return pair(d, e);
}

static uint32_t start_of(const struct incore_kind *kind, unsigned chain)
{
    switch (kind->operation) {
    case INCORE_DOT:
        return dots(chain, 0);
    case INCORE_VOTE:
        return 7 * chain & FOUR_LANES;
    case INCORE_LEAST: // no sum wraps
        return (uint32_t)(golden * (chain + 1)) >> 8;
    default:
        return golden * (chain + 1);
    }
}

static struct words constants_of(const struct incore_kind *kind)
{
    switch (kind->operation) {
    case INCORE_DOT:
        return (struct words){pair(1, -1), 0};
    case INCORE_DOT4:
        return (struct words){0xb7e15163, 0x3c6ef373};
    case INCORE_SHUFFLE:
        return (struct words){1, 0};
    case INCORE_VOTE:
        return (struct words){VOTED, 0};
    default:
        return (struct words){LEAST_OF_ALL, 0};
    }
}

static uint32_t dot4(uint32_t x, uint32_t y, uint32_t z)
{
    for (unsigned byte = 0; byte < BYTES; byte++)
        z += (x >> 8 * byte & 0xff) * (y >> 8 * byte & 0xff);
    return z;
}

static uint32_t end_of(const struct incore_kind *kind, unsigned chain, uint64_t steps)
{
    uint32_t x = start_of(kind, chain);
    struct words c = constants_of(kind);
    switch (kind->operation) {
    case INCORE_DOT:
        return dots(chain, steps);
    case INCORE_DOT4:
        for (uint64_t i = 0; i < steps; i++)
            x = dot4(x, c.low, c.high);
        return x;
    case INCORE_SHUFFLE: // the neighbour's
        return start_of(kind, chain ^ (unsigned)(steps % 2));
    case INCORE_VOTE:
        return steps % 2 ? x ^ VOTED : x;
    case INCORE_LEAST:
        return x + LEAST_OF_ALL * (uint32_t)steps;
    default:
        return x;
    }
}

// ---------------------------------------------------------------- slots

static uint32_t shifted(uint32_t y, uint64_t steps)
{
    uint32_t kept = steps ? y & UINT32_MAX >> SHIFTED : y;
    return steps % 2 ? kept << SHIFTED : kept;
}

static void fill_mixed(uint64_t steps, uint32_t *words)
{
    struct fma_chain chains[FMA_CHAINS];
    fma_chain_follow(FMA_F32, steps, chains);
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        uint32_t y = golden * (i + 1), end = shifted(y, steps);
        put(words, INCORE_START + i, (struct words){(uint32_t)chains[i].start, y});
        put(words, INCORE_FUSED + i, (struct words){(uint32_t)chains[i].fused, end});
        put(words, INCORE_ROUNDED + i, (struct words){(uint32_t)chains[i].rounded, end});
    }
    put(words, INCORE_A, (struct words){SHIFTED, SHIFTED});
    put(words, INCORE_B, (struct words){(uint32_t)fma_chain_constant(FMA_F32), 0});
}

// Words of as many elements as fit.
static uint32_t element_words(unsigned format, bool doubled)
{
    switch (format) { // 0.25 and 0.5
    case INCORE_TILE_F16:
        return doubled ? 0x38003800 : 0x34003400;
    case INCORE_TILE_BF16:
        return doubled ? 0x3f003f00 : 0x3e803e80;
    default:
        return doubled ? 0x30303030 : 0x28282828;
    }
}

// Even rows of A and columns of B are 0.25, odd ones 0.5: D grows by 16 products of each in a step
// and is exact while there are fewer than 2^21 of them. Of bytes one step of 32 remains
// (tiles.clh).
static void fill_tiles(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    bool bytes = kind->operation == INCORE_TILE_E4M3;
    double grown = (bytes ? 32 : 16 * (double)steps) * 0.25 * 0.25;
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++)
        put(words, INCORE_START + i, (struct words){(uint32_t)fma_bits(FMA_F32, i), 0});
    struct words elements = {element_words(kind->operation, false),
                             element_words(kind->operation, true)};
    put(words, INCORE_A, elements);
    put(words, INCORE_B, elements);
    put(words, INCORE_SECOND, (struct words){(uint32_t)fma_bits(FMA_F32, grown), 0});
}

void incore_kind_fill_special(const struct incore_kind *kind, uint64_t steps, uint32_t *words)
{
    if (kind->number == INCORE_TILE) {
        fill_tiles(kind, steps, words);
        return;
    }
    if (kind->operation == INCORE_MIXED) {
        fill_mixed(steps, words);
        return;
    }
    for (unsigned i = 0; i < INCORE_PEAK_CHAINS; i++) {
        struct words end = {end_of(kind, i, steps), 0};
        put(words, INCORE_START + i, (struct words){start_of(kind, i), 0});
        put(words, INCORE_FUSED + i, end);
        put(words, INCORE_ROUNDED + i, end);
    }
    struct words c = constants_of(kind);
    put(words, INCORE_A, (struct words){c.low, 0});
    put(words, INCORE_B, (struct words){c.high, 0});
}
