// SPDX-License-Identifier: MIT
#include "bench/loads/data.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 64,       // floats are multiples of 1/64
    HALF_MASK = 1023, // bits that a half holds exactly
    FLOAT_MASK = 4095 // and so many that 256 × (1 + 3 + 5 + 7) of them add up exactly: 2^24
};

static const double weights[4] = {1, 3, 5, 7};

static uint32_t hash(uint32_t v)
{
    v *= 0x9e3779b1u;
    v ^= v >> 15;
    v *= 0x85ebca77u;
    return v ^ v >> 13;
}

// The number as an integer: v of v / 255, or ± sixty-fourths.
static int number_of(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    uint32_t h = hash(element * 4 + channel + 1);
    if (kind->data == LOADS_UNORM8)
        return (int)(h % 255 + 1);
    int magnitude = (int)(h & (kind->data == LOADS_FLOAT16 ? HALF_MASK : FLOAT_MASK)) | 1;
    return h >> 31 ? -magnitude : magnitude;
}

double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    return (double)number_of(kind, element, channel) / (kind->data == LOADS_UNORM8 ? 255 : GRAIN);
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
    switch (kind->data) {
    case LOADS_UNORM8:
        *to = (unsigned char)number_of(kind, element, channel);
        break;
    case LOADS_FLOAT16:
        half = half_of(value);
        memcpy(to, &half, sizeof half);
        break;
    case LOADS_FLOAT32:
        memcpy(to, &single, sizeof single);
        break;
    }
}

void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes)
{
    unsigned size = loads_bytes(kind), channel_bytes = size / kind->width;
    *bytes = (kind->start_bytes + (size_t)LOADS_ELEMENTS * size + 15) / 16 * 16;
    unsigned char *memory = ARENA_ARRAY(arena, *bytes, unsigned char);
    for (unsigned e = 0; e < LOADS_ELEMENTS; e++)
        for (unsigned c = 0; c < kind->width; c++)
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
        return (struct loads_start){1, (texture ? LOADS_TILE : LOADS_THREADS) - 1};
    case LOADS_RANDOM:
        return (struct loads_start){0x3504f333u, texture ? 4 : 15};
    }
    return (struct loads_start){0, 0};
}

static unsigned start_at(struct loads_start start, unsigned id)
{
    return (id * start.multiplier) & start.keep;
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
    for (unsigned i = 0; i < LOADS_A_THREAD; i++)
        sum += weighted(kind, first + i);
    return sum;
}

static double tile_sum(const struct loads_kind *kind, unsigned x, unsigned y)
{
    double sum = 0;
    for (unsigned j = 0; j < LOADS_TILE; j++)
        for (unsigned i = 0; i < LOADS_TILE; i++)
            sum += weighted(kind, (y + j) * LOADS_SIDE + x + i);
    return sum;
}

void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS])
{
    struct loads_start start = loads_start_of(kind, pattern);
    for (unsigned id = 0; id < LOADS_THREADS; id++)
        sums[id] = (float)(loads_is_texture(kind) ? tile_sum(kind, start_at(start, id % LOADS_TILE),
                                                             start_at(start, id / LOADS_TILE))
                                                  : row_sum(kind, start_at(start, id)));
}

float loads_tolerance(const struct loads_kind *kind)
{
    static const double range[] = {
        [LOADS_UNORM8] = 1, // all of it
        [LOADS_FLOAT16] = 2.0 * HALF_MASK / GRAIN,
        [LOADS_FLOAT32] = 2.0 * FLOAT_MASK / GRAIN,
    };
    double weight = 0;
    for (unsigned c = 0; c < kind->width; c++)
        weight += weights[c];
    double rounding = kind->data == LOADS_UNORM8 ? ldexp(LOADS_A_THREAD, -17) : 0;
    double filtering =
        kind->source == LOADS_FROM_BILINEAR ? ldexp(LOADS_A_THREAD, -8) * range[kind->data] : 0;
    return (float)(weight * (rounding + filtering));
}
