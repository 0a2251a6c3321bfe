// SPDX-License-Identifier: MIT
#include "bench/loads/packed.h"

#include "bench/loads/data.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 4, // texels a side
    BLOCKS_A_ROW = LOADS_SIDE / BLOCK,
    HALF_LEAST = 464, // end points of BC6H whose halves are from ½ to 1
    HALF_COUNT = 31
};

// ---------------------------------------------------------------- packed words

static uint32_t field(unsigned element, unsigned channel, uint32_t mask)
{
    return (loads_hash(element * 4 + channel + 1) & mask) | 1;
}

// IEC 61966-2-1.
static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

// Mantissas of 6, 6 and 5 bits, from 1 up to 2.
static double small_float(unsigned element, unsigned channel)
{
    unsigned bits = channel < 2 ? 6 : 5;
    return 1 + field(element, channel, (1u << bits) - 1) / (double)(1u << bits);
}

static uint32_t word_of(enum gpu_format format, unsigned element)
{
    uint32_t word = 0;
    if (format == GPU_FORMAT_RGBA8_SRGB)
        for (unsigned c = 0; c < 4; c++)
            word |= field(element, c, 255) << 8 * c;
    else if (format == GPU_FORMAT_RGB10A2_UNORM)
        for (unsigned c = 0; c < 4; c++)
            word |= field(element, c, c < 3 ? 1023 : 3) << 10 * c;
    else // exponents of 15 are 2^0
        word = (15u << 6 | field(element, 0, 63)) | (15u << 6 | field(element, 1, 63)) << 11 |
               (15u << 5 | field(element, 2, 31)) << 22;
    return word;
}

// ---------------------------------------------------------------- blocks

static unsigned block_of(unsigned element)
{
    return element / LOADS_SIDE / BLOCK * BLOCKS_A_ROW + element % LOADS_SIDE / BLOCK;
}

static unsigned texel_at(unsigned block, unsigned texel)
{
    unsigned x = block % BLOCKS_A_ROW * BLOCK + texel % BLOCK;
    unsigned y = block / BLOCKS_A_ROW * BLOCK + texel / BLOCK;
    return y * LOADS_SIDE + x;
}

// Which end point a texel has. The first of a block must have the first in BC6H and BC7.
static unsigned end_of(unsigned element)
{
    bool first = element % LOADS_SIDE % BLOCK == 0 && element / LOADS_SIDE % BLOCK == 0;
    return first ? 0 : loads_hash(element + 77) & 1;
}

// A number of so many bits; with `ordered` that of the first end is the greater.
static uint32_t end_bits(unsigned block, unsigned end, unsigned channel, unsigned bits,
                         bool ordered)
{
    uint32_t number = loads_hash(block * 8 + end * 4 + channel + 5001) & ((1u << bits) - 1);
    uint32_t top = 1u << (bits - 1);
    if (ordered)
        number = end == 0 ? number | top : number & ~top;
    return number | 1;
}

// Reds are ordered, so that blocks have four colours and no hole.
static const unsigned colour_bits[] = {5, 6, 5};

static uint32_t colour(unsigned block, unsigned end, unsigned channel)
{
    return end_bits(block, end, channel, colour_bits[channel], channel == 0);
}

static uint32_t alpha_nibble(unsigned element)
{
    return loads_hash(element + 9001) & 15;
}

// BC6H's end points as bits of a half: unquantised to 16 bits, times 31 / 64.
static uint32_t half_bits(unsigned block, unsigned end, unsigned channel, uint32_t *quantised)
{
    *quantised = HALF_LEAST + end_bits(block, end, channel, 10, false) % HALF_COUNT;
    return (((*quantised << 16) + 0x8000) >> 10) * 31 >> 6;
}

static double half_point(unsigned block, unsigned end, unsigned channel)
{
    uint32_t quantised, bits = half_bits(block, end, channel, &quantised);
    return ldexp(1 + (bits & 1023) / 1024.0, (int)(bits >> 10) - 15);
}

static double block_value(enum gpu_format format, unsigned element, unsigned channel)
{
    unsigned block = block_of(element), end = end_of(element);
    bool alpha = channel == 3;
    if (format == GPU_FORMAT_BC7_UNORM)
        return (end_bits(block, end, channel, 7, false) << 1 | end) / 255.0;
    if (format == GPU_FORMAT_BC4_UNORM || format == GPU_FORMAT_BC5_UNORM ||
        (format == GPU_FORMAT_BC3_UNORM && alpha))
        return end_bits(block, end, channel, 8, true) / 255.0;
    if (format == GPU_FORMAT_BC2_UNORM && alpha)
        return alpha_nibble(element) / 15.0;
    if (alpha)
        return 1;
    if (format == GPU_FORMAT_BC6H_UFLOAT)
        return half_point(block, end, channel);
    return colour(block, end, channel) / (double)((1u << colour_bits[channel]) - 1);
}

double loads_packed_value(enum gpu_format format, unsigned element, unsigned channel)
{
    if (gpu_format_block(format) > 1)
        return block_value(format, element, channel);
    if (format == GPU_FORMAT_RG11B10_FLOAT)
        return channel < 3 ? small_float(element, channel) : 1;
    if (format == GPU_FORMAT_RGB10A2_UNORM)
        return channel < 3 ? field(element, channel, 1023) / 1023.0
                           : field(element, channel, 3) / 3.0;
    double number = field(element, channel, 255) / 255.0;
    return channel < 3 ? linear_of(number) : number;
}

// ---------------------------------------------------------------- blocks as bits

// `count` bits of `value` from bit `at` on.
static void put_bits(unsigned char *block, unsigned at, unsigned count, uint32_t value)
{
    for (unsigned i = 0; i < count; i++)
        block[(at + i) / 8] |= (unsigned char)((value >> i & 1) << (at + i) % 8);
}

static void put_colours(unsigned char *to, unsigned block)
{
    for (unsigned end = 0; end < 2; end++) {
        put_bits(to, 16 * end, 5, colour(block, end, 2));
        put_bits(to, 16 * end + 5, 6, colour(block, end, 1));
        put_bits(to, 16 * end + 11, 5, colour(block, end, 0));
    }
    for (unsigned t = 0; t < BLOCK * BLOCK; t++)
        put_bits(to, 32 + 2 * t, 2, end_of(texel_at(block, t)));
}

static void put_channel(unsigned char *to, unsigned block, unsigned channel)
{
    for (unsigned end = 0; end < 2; end++)
        put_bits(to, 8 * end, 8, end_bits(block, end, channel, 8, true));
    for (unsigned t = 0; t < BLOCK * BLOCK; t++)
        put_bits(to, 16 + 3 * t, 3, end_of(texel_at(block, t)));
}

// Indices of BC6H and BC7: 4 bits, 15 is the second end; the first texel's has no top bit.
static void put_indices(unsigned char *to, unsigned block)
{
    for (unsigned t = 1; t < BLOCK * BLOCK; t++)
        put_bits(to, 64 + 4 * t, 4, end_of(texel_at(block, t)) ? 15 : 0);
}

// Mode 11: one region, end points of 10 bits as they are.
static void put_bc6h(unsigned char *to, unsigned block)
{
    put_bits(to, 0, 5, 3);
    for (unsigned end = 0; end < 2; end++)
        for (unsigned c = 0; c < 3; c++) {
            uint32_t quantised;
            half_bits(block, end, c, &quantised);
            put_bits(to, 5 + 30 * end + 10 * c, 10, quantised);
        }
    put_indices(to, block);
}

// Mode 6: one region, end points of 7 bits and a lowest one that all channels share: its number.
static void put_bc7(unsigned char *to, unsigned block)
{
    put_bits(to, 6, 1, 1);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned end = 0; end < 2; end++)
            put_bits(to, 7 + 14 * c + 7 * end, 7, end_bits(block, end, c, 7, false));
    put_bits(to, 64, 1, 1);
    put_indices(to, block);
}

static void put_block(enum gpu_format format, unsigned char *to, unsigned block)
{
    if (format == GPU_FORMAT_BC6H_UFLOAT) {
        put_bc6h(to, block);
    } else if (format == GPU_FORMAT_BC7_UNORM) {
        put_bc7(to, block);
    } else if (format == GPU_FORMAT_BC4_UNORM) {
        put_channel(to, block, 0);
    } else if (format == GPU_FORMAT_BC5_UNORM) {
        put_channel(to, block, 0);
        put_channel(to + 8, block, 1);
    } else if (format == GPU_FORMAT_BC1_UNORM) {
        put_colours(to, block);
    } else {
        for (unsigned t = 0; format == GPU_FORMAT_BC2_UNORM && t < BLOCK * BLOCK; t++)
            put_bits(to, 4 * t, 4, alpha_nibble(texel_at(block, t)));
        if (format == GPU_FORMAT_BC3_UNORM)
            put_channel(to, block, 3);
        put_colours(to + 8, block);
    }
}

void *loads_packed_encode(struct arena *arena, enum gpu_format format, size_t *bytes)
{
    unsigned side = gpu_format_block(format), size = gpu_format_bytes(format);
    unsigned count = LOADS_SIDE / side * (LOADS_SIDE / side);
    *bytes = (size_t)count * size;
    unsigned char *memory = ARENA_ARRAY(arena, *bytes, unsigned char);
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = side > 1 ? 0 : word_of(format, i);
        if (side > 1)
            put_block(format, memory + (size_t)i * size, i);
        else
            memcpy(memory + (size_t)i * size, &word, sizeof word);
    }
    return memory;
}
