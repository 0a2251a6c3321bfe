// SPDX-License-Identifier: MIT
#include "bench/loads/data.h"

#include "bench/loads/packed.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 64,       // floats are multiples of 1/64
    HALF_MASK = 1023, // bits that a half holds exactly
    FLOAT_MASK = 4095 // and so many that 256 × (1 + 3 + 5 + 7) of them add up exactly: 2^24
};

static const double weights[4] = {1, 3, 5, 7};

uint32_t loads_hash(uint32_t v)
{
    v *= 0x9e3779b1u;
    v ^= v >> 15;
    v *= 0x85ebca77u;
    return v ^ v >> 13;
}

// The number as an integer: v of v / 255, or ± sixty-fourths.
static int hashed_number(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    uint32_t h = loads_hash(element * 4 + channel + 1);
    if (kind->data == LOADS_UNORM8 || kind->data == LOADS_UINT8)
        return (int)(h % 255 + 1);
    int magnitude = (int)(h & (kind->data == LOADS_FLOAT16 ? HALF_MASK : FLOAT_MASK)) | 1;
    bool positive = kind->data == LOADS_UINT32 || kind->source == LOADS_FROM_STRETCHED;
    return h >> 31 && !positive ? -magnitude : magnitude;
}

static int stretched_number(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    if (element >= LOADS_ELEMENTS)
        return (hashed_number(kind, element, channel) + 3) / 4;
    unsigned x = element % LOADS_SIDE % LOADS_TILE, y = element / LOADS_SIDE % LOADS_TILE;
    return hashed_number(kind, y * LOADS_SIDE + x, channel);
}

static int number_of(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    return kind->source == LOADS_FROM_STRETCHED ? stretched_number(kind, element, channel)
                                                : hashed_number(kind, element, channel);
}

double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    if (kind->data == LOADS_PACKED)
        return loads_packed_value(kind->format, element, channel);
    static const double unit[] = {[LOADS_UNORM8] = 255,
                                  [LOADS_FLOAT16] = GRAIN,
                                  [LOADS_FLOAT32] = GRAIN,
                                  [LOADS_UINT32] = 1,
                                  [LOADS_UINT8] = 1};
    return (double)number_of(kind, element, channel) / unit[kind->data];
}

// A gather brings one channel of four texels.
static unsigned channels_of(const struct loads_kind *kind)
{
    return kind->source == LOADS_FROM_GATHER ? gpu_format_channels(kind->format) : kind->width;
}

unsigned loads_levels(const struct loads_kind *kind)
{
    return loads_way_of(kind)->levels ? loads_way_of(kind)->levels : 1;
}

float loads_centre(const struct loads_kind *kind)
{
    const struct loads_way *way = loads_way_of(kind);
    return way->centre > 0 ? way->centre : 0.5f;
}

// IEEE 754 binary16 of a value that it holds exactly, neither zero nor subnormal.
static uint16_t half_of(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); // ½ … 1
    unsigned mantissa = (unsigned)(fraction * 2048) & 1023;
    return (uint16_t)((value < 0 ? 0x8000u : 0) | (unsigned)(exponent - 1 + 15) << 10 | mantissa);
}

static void encode(const struct loads_kind *kind, unsigned element, unsigned channel,
                   unsigned char *to)
{
    double value = loads_value(kind, element, channel);
    float single = (float)value;
    uint16_t half;
    uint32_t word = (uint32_t)number_of(kind, element, channel);
    switch (kind->data) {
    case LOADS_UNORM8:
    case LOADS_UINT8:
        *to = (unsigned char)number_of(kind, element, channel);
        break;
    case LOADS_FLOAT16:
        half = half_of(value);
        memcpy(to, &half, sizeof half);
        break;
    case LOADS_FLOAT32:
        memcpy(to, &single, sizeof single);
        break;
    case LOADS_UINT32:
        memcpy(to, &word, sizeof word);
        break;
    case LOADS_PACKED: // as a whole: loads_packed_encode
        break;
    }
}

void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes)
{
    if (kind->data == LOADS_PACKED)
        return loads_packed_encode(arena, kind->format, bytes);
    unsigned channels = channels_of(kind);
    unsigned channel_bytes = (unsigned)loads_bytes(kind) / kind->width;
    unsigned size = channels * channel_bytes;
    unsigned elements = 0;
    for (unsigned level = 0; level < loads_levels(kind); level++)
        elements += (unsigned)LOADS_ELEMENTS >> 2 * level;
    *bytes = (kind->start_bytes + (size_t)elements * size + 15) / 16 * 16;
    unsigned char *memory = ARENA_ARRAY(arena, *bytes, unsigned char);
    for (unsigned e = 0; e < elements; e++)
        for (unsigned c = 0; c < channels; c++)
            encode(kind, e, c,
                   memory + kind->start_bytes + (size_t)e * size + (size_t)c * channel_bytes);
    return memory;
}

// The published tool's hash and masks.
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern)
{
    bool texture = loads_is_texture(kind);
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
    if (kind->source == LOADS_FROM_PUSHED) { // all of them, over and over
        for (unsigned i = 0; i < LOADS_A_THREAD; i++)
            sum += weighted(kind, i % LOADS_PUSHED_ELEMENTS);
        return sum;
    }
    for (unsigned i = 0; i < LOADS_A_THREAD; i++)
        sum += weighted(kind, first + i);
    return sum;
}

static double texel(const struct loads_kind *kind, unsigned x, unsigned y, unsigned channel)
{
    return loads_value(kind, y % LOADS_SIDE * LOADS_SIDE + x % LOADS_SIDE, channel);
}

// Between the texels (x, y) and (x + 1, y + 1), `part` of the way.
static double blend(const double corners[4], double part_x, double part_y)
{
    double above = corners[0] + part_x * (corners[1] - corners[0]);
    double below = corners[2] + part_x * (corners[3] - corners[2]);
    return above + part_y * (below - above);
}

static double off_centre(const struct loads_kind *kind, unsigned x, unsigned y, unsigned channel)
{
    const double corners[4] = {texel(kind, x, y, channel), texel(kind, x + 1, y, channel),
                               texel(kind, x, y + 1, channel), texel(kind, x + 1, y + 1, channel)};
    return blend(corners, 0.25, 0.25);
}

// The centre of a texel is a quarter or three of the way between two of the next level.
static double level_below(const struct loads_kind *kind, unsigned x, unsigned y, unsigned channel)
{
    unsigned side = LOADS_SIDE / 2, left = (x + LOADS_SIDE - 1) / 2, top = (y + LOADS_SIDE - 1) / 2;
    double corners[4];
    for (unsigned i = 0; i < 4; i++)
        corners[i] = loads_value(
            kind, LOADS_ELEMENTS + (top + i / 2) % side * side + (left + i % 2) % side, channel);
    return blend(corners, x % 2 ? 0.25 : 0.75, y % 2 ? 0.25 : 0.75);
}

// Component `c` of what a kernel finds at a texel.
static double found(const struct loads_kind *kind, unsigned x, unsigned y, unsigned c)
{
    if (kind->source == LOADS_FROM_OFFSET)
        return off_centre(kind, x, y, c);
    if (kind->source == LOADS_FROM_GATHER) // against the clock from the lower left
        return texel(kind, x + (c == 1 || c == 2), y + (c < 2), 0);
    if (kind->source == LOADS_FROM_TRILINEAR)
        return (texel(kind, x, y, c) + level_below(kind, x, y, c)) / 2;
    return texel(kind, x, y, c);
}

// The tile's sum for a thread that reads the next smaller level.
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
        sums[id] = (float)(!loads_is_texture(kind) ? row_sum(kind, loads_first(start, id, id))
                           : small                 ? small_tile_sum(kind, x, y)
                                                   : tile_sum(kind, x, y));
    }
}

float loads_tolerance(const struct loads_kind *kind)
{
    static const double range[] = {
        [LOADS_UNORM8] = 1, // all of it
        [LOADS_FLOAT16] = 2.0 * HALF_MASK / GRAIN,
        [LOADS_FLOAT32] = 2.0 * FLOAT_MASK / GRAIN,
        [LOADS_UINT32] = 0, // is not filtered
        [LOADS_UINT8] = 0,
        [LOADS_PACKED] = 1,
    };
    double weight = 0;
    for (unsigned c = 0; c < kind->width; c++)
        weight += weights[c];
    bool rounds = kind->data == LOADS_UNORM8 || kind->data == LOADS_PACKED;
    double rounding = rounds ? ldexp(LOADS_A_THREAD, -17) : 0;
    if (kind->format == GPU_FORMAT_RGBA8_SRGB) // is decoded to within half of one of 255
        rounding += ldexp(LOADS_A_THREAD, -9);
    double filtering = loads_way_of(kind)->filters * ldexp(LOADS_A_THREAD, -8) * range[kind->data];
    return (float)(weight * (rounding + filtering));
}
