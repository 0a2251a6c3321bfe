// SPDX-License-Identifier: MIT
// Computes which elements the threads of a workgroup load or write, and which sums or values the
// threads must find.
#include "bench/loads/kind.h"

#include <math.h>
#include <string.h>

static const double weights[4] = {1, 3, 5, 7};

// The multipliers and masks of UNIFORM, LINEAR and RANDOM come from the published tool perftest.
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern)
{
    bool texture = loads_traits_of(kind)->tile;
    switch (pattern) {
    case LOADS_UNIFORM:
        break;
    case LOADS_LINEAR:
        return (struct loads_start){1, (texture ? LOADS_TILE : LOADS_THREADS) - 1, 0};
    case LOADS_RANDOM:
        return (struct loads_start){0x3504f333u, texture ? 4 : 15, 0};
    case LOADS_SCATTERED:
        return (struct loads_start){1, (texture ? LOADS_TILE : LOADS_THREADS) - 1, 1};
    }
    return (struct loads_start){0, 0, 0};
}

unsigned loads_first(struct loads_start start, unsigned id, unsigned seed)
{
    return ((start.scatter ? loads_hash(seed) : id) * start.multiplier) & start.keep;
}

static double weighted(const struct loads_kind *kind, unsigned element)
{
    double sum = 0;
    for (unsigned c = 0; c < kind->width; c++)
        sum += weights[c] * loads_value(kind, element, c);
    return sum;
}

static double row_sum(const struct loads_kind *kind, unsigned first)
{
    double sum = 0;
    // A thread makes more loads than there are push constants, so it loads each one repeatedly.
    bool pushed = kind->source == LOADS_FROM_PUSHED;
    for (unsigned i = 0; i < LOADS_A_THREAD; i++)
        sum += weighted(kind, pushed ? i % LOADS_PUSHED_ELEMENTS : first + i);
    return sum;
}

static double texel(const struct loads_kind *kind, unsigned x, unsigned y, unsigned channel)
{
    return loads_value(kind, y % LOADS_SIDE * LOADS_SIDE + x % LOADS_SIDE, channel);
}

// Returns the bilinear interpolation between the upper left, upper right, lower left and lower
// right texel, at the point (part_x, part_y) from the first (0, 0) to the last (1, 1).
static double blend(const double corners[4], double part_x, double part_y)
{
    double above = corners[0] + part_x * (corners[1] - corners[0]);
    double below = corners[2] + part_x * (corners[3] - corners[2]);
    return above + part_y * (below - above);
}

// Returns the value of the bilinear filter on the second level, at the centre of texel (x, y) of
// the first level. On each axis, this point is 1/4 or 3/4 of the way between two texels.
static double level_below(const struct loads_kind *kind, unsigned x, unsigned y, unsigned channel)
{
    unsigned side = LOADS_SIDE / 2, left = (x + LOADS_SIDE - 1) / 2, top = (y + LOADS_SIDE - 1) / 2;
    double corners[4];
    for (unsigned i = 0; i < 4; i++)
        corners[i] = loads_value(
            kind, LOADS_ELEMENTS + (top + i / 2) % side * side + (left + i % 2) % side, channel);
    return blend(corners, x % 2 ? 0.25 : 0.75, y % 2 ? 0.25 : 0.75);
}

// Returns component `c` of the value that a kernel gets when it loads texel (x, y).
static double found(const struct loads_kind *kind, unsigned x, unsigned y, unsigned c)
{
    if (kind->source == LOADS_FROM_OFFSET) {
        const double corners[4] = {texel(kind, x, y, c), texel(kind, x + 1, y, c),
                                   texel(kind, x, y + 1, c), texel(kind, x + 1, y + 1, c)};
        return blend(corners, 0.25, 0.25);
    }
    // The channels of a gather are four texels: lower left, lower right, upper right, upper left.
    if (kind->source == LOADS_FROM_GATHER)
        return texel(kind, x + (c == 1 || c == 2), y + (c < 2), 0);
    if (kind->source == LOADS_FROM_TRILINEAR)
        return (texel(kind, x, y, c) + level_below(kind, x, y, c)) / 2;
    return texel(kind, x, y, c);
}

// Returns the sum of a tile on the second level of detail, which has half the width and height of
// the first level.
static double small_tile_sum(const struct loads_kind *kind, unsigned x, unsigned y)
{
    unsigned side = LOADS_SIDE / 2;
    double sum = 0;
    for (unsigned j = 0; j < LOADS_TILE; j++)
        for (unsigned i = 0; i < LOADS_TILE; i++)
            sum += weighted(kind, LOADS_ELEMENTS + (y + j) / 2 * side + (x + i) / 2);
    return sum;
}

static double tile_sum(const struct loads_kind *kind, unsigned x, unsigned y)
{
    double sum = 0;
    for (unsigned j = 0; j < LOADS_TILE; j++)
        for (unsigned i = 0; i < LOADS_TILE; i++)
            for (unsigned c = 0; c < kind->width; c++)
                sum += weights[c] * found(kind, x + i, y + j, c);
    return sum;
}

void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS])
{
    struct loads_start start = loads_start_of(kind, pattern);
    for (unsigned id = 0; id < LOADS_THREADS; id++) {
        unsigned x = loads_first(start, id % LOADS_TILE, 2 * id);
        unsigned y = loads_first(start, id / LOADS_TILE, 2 * id + 1);
        bool small = kind->source == LOADS_FROM_LEVELS && id % 2 == 1;
        sums[id] = (float)(!loads_traits_of(kind)->tile ? row_sum(kind, loads_first(start, id, id))
                           : small                      ? small_tile_sum(kind, x, y)
                                                        : tile_sum(kind, x, y));
    }
}

float loads_tolerance(const struct loads_kind *kind)
{
    static const double range[] = {
        [LOADS_UNORM8] = 1,
        [LOADS_FLOAT16] = 2 * 1023.0 / 64,
        [LOADS_FLOAT32] = 2 * 4095.0 / 64,
        [LOADS_UINT32] = 0, // integers are never filtered
        [LOADS_UINT8] = 0,
        [LOADS_PACKED] = 1,
    };
    double weight = 0;
    for (unsigned c = 0; c < kind->width; c++)
        weight += weights[c];
    bool rounds = kind->data == LOADS_UNORM8 || kind->data == LOADS_PACKED;
    double rounding = rounds ? ldexp(LOADS_A_THREAD, -17) : 0;
    if (kind->format == GPU_FORMAT_RGBA8_SRGB) // a decoder of sRGB may be wrong by half of 1/255
        rounding += ldexp(LOADS_A_THREAD, -9);
    double filtering =
        loads_traits_of(kind)->filters * ldexp(LOADS_A_THREAD, -8) * range[kind->data];
    return (float)(weight * (rounding + filtering));
}

void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS])
{
    struct loads_start start = loads_start_of(kind, pattern);
    memset(hits, 0, LOADS_ELEMENTS * sizeof *hits);
    for (uint32_t id = 0; id < LOADS_THREADS; id++)
        for (uint32_t i = 0; i < LOADS_A_THREAD; i++)
            hits[loads_first(start, id, id) + i]++;
}

void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS])
{
    uint32_t hits[LOADS_ELEMENTS];
    loads_count_writes(kind, pattern, hits);
    for (uint32_t id = 0; id < LOADS_THREADS; id++)
        found[id] = loads_traits_of(kind)->resource != LOADS_BY_NOTHING ? 0
                    : loads_traits_of(kind)->atomic                     ? (float)hits[id]
                    : hits[id]                                          ? (float)(id + 1)
                                                                        : 0;
}
