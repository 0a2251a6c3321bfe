// SPDX-License-Identifier: MIT
// Computes the data that kernels load: the values, and the bytes that hold these values in each
// format.
//
// Packed data are words whose channels are not whole bytes, sRGB words, or compressed blocks (BC).
// A block has two end points, and colours between them. Decoders may round the colours between them
// differently, but must agree on the end points. So the blocks here use only the end points.
// Sources: Vulkan specification, "Formats"; Khronos Data Format Specification 1.3, "S3TC", "RGTC"
// and "BPTC" compressed texture image formats.
#include "bench/loads/kind.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 64, // values of the classes FLOAT16 and FLOAT32 are multiples of 1 / GRAIN
    // Mask for the integer k of a 16-bit float ±k / GRAIN: with 10 bits, each float is exact.
    HALF_MASK = 1023,
    // Mask for the integer k of a 32-bit float ±k / GRAIN: with 12 bits, a sum of 256 × (1 + 3 + 5
    // + 7) such floats is exact.
    FLOAT_MASK = 4095,
    BLOCK = 4, // width and height of a compressed block in texels
    BLOCKS_A_ROW = LOADS_SIDE / BLOCK,
    // End points of BC6H blocks are stored as HALF_COUNT numbers from HALF_LEAST on: 1/2 to 1.
    HALF_LEAST = 464,
    HALF_COUNT = 31
};

uint32_t loads_hash(uint32_t v)
{
    v *= 0x9e3779b1u;
    v ^= v >> 15;
    v *= 0x85ebca77u;
    return v ^ v >> 13;
}

// ---------------------------------------------------------------- packed words

static uint32_t field(unsigned element, unsigned channel, uint32_t mask)
{
    return (loads_hash(element * 4 + channel + 1) & mask) | 1;
}

// Returns the linear value, from 0 to 1, of an sRGB value from 0 to 1 (IEC 61966-2-1).
static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

// Returns a channel in the format RG11B10, between 1 and 2; the mantissa has 6 or (blue) 5 bits.
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
    else // in RG11B10, the stored exponent 15 means 2^0
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

// Returns the end point (0 or 1) whose colour this texel has. BC6H and BC7 require 0 for the first
// texel of a block.
static unsigned end_of(unsigned element)
{
    bool first = element % LOADS_SIDE % BLOCK == 0 && element / LOADS_SIDE % BLOCK == 0;
    return first ? 0 : loads_hash(element + 77) & 1;
}

// Returns `bits` bits of a hash, with the lowest bit set, for one channel of an end point. If
// `ordered` is true, end point 0 has the greater number.
static uint32_t end_bits(unsigned block, unsigned end, unsigned channel, unsigned bits,
                         bool ordered)
{
    uint32_t number = loads_hash(block * 8 + end * 4 + channel + 5001) & ((1u << bits) - 1);
    uint32_t top = 1u << (bits - 1);
    if (ordered)
        number = end == 0 ? number | top : number & ~top;
    return number | 1;
}

// Bits of red, green and blue in an end point of BC1, BC2 and BC3. End point 0 has more red,
// because a BC1 block would otherwise have only three opaque colours.
static const unsigned colour_bits[] = {5, 6, 5};

static uint32_t colour(unsigned block, unsigned end, unsigned channel)
{
    return end_bits(block, end, channel, colour_bits[channel], channel == 0);
}

static uint32_t alpha_nibble(unsigned element)
{
    return loads_hash(element + 9001) & 15;
}

// Returns a channel of a BC6H end point as the 16-bit float that a decoder yields: it expands the
// 10 stored bits (*quantised) to 16 bits and multiplies them by 31/64.
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

static double packed_value(enum gpu_format format, unsigned element, unsigned channel)
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

// ---------------------------------------------------------------- values

// Returns a channel in units of 1/255 for UNORM8, 1/64 for floats, and 1 for integers.
static int hashed_number(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    uint32_t h = loads_hash(element * 4 + channel + 1);
    if (kind->data == LOADS_UNORM8 || kind->data == LOADS_UINT8)
        return (int)(h % 255 + 1);
    int magnitude = (int)(h & (kind->data == LOADS_FLOAT16 ? HALF_MASK : FLOAT_MASK)) | 1;
    bool positive = kind->data == LOADS_UINT32 || kind->source == LOADS_FROM_STRETCHED;
    return h >> 31 && !positive ? -magnitude : magnitude;
}

static int number_of(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    if (kind->source != LOADS_FROM_STRETCHED)
        return hashed_number(kind, element, channel);
    if (element >= LOADS_ELEMENTS) // the element belongs to a smaller level of detail
        return (hashed_number(kind, element, channel) + 3) / 4;
    unsigned x = element % LOADS_SIDE % LOADS_TILE, y = element / LOADS_SIDE % LOADS_TILE;
    return hashed_number(kind, y * LOADS_SIDE + x, channel);
}

double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel)
{
    if (kind->data == LOADS_PACKED)
        return packed_value(kind->format, element, channel);
    static const double unit[] = {[LOADS_UNORM8] = 255,
                                  [LOADS_FLOAT16] = GRAIN,
                                  [LOADS_FLOAT32] = GRAIN,
                                  [LOADS_UINT32] = 1,
                                  [LOADS_UINT8] = 1};
    return (double)number_of(kind, element, channel) / unit[kind->data];
}

// ---------------------------------------------------------------- blocks as bits

// Writes the low `count` bits of `value` to the block, from bit `at` on. These bits of the block
// must be 0 before.
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

// Writes the 4-bit indices of a BC6H or BC7 block: 0 selects end point 0, 15 end point 1. The first
// texel's index is 0, without its top bit.
static void put_indices(unsigned char *to, unsigned block)
{
    for (unsigned t = 1; t < BLOCK * BLOCK; t++)
        put_bits(to, 64 + 4 * t, 4, end_of(texel_at(block, t)) ? 15 : 0);
}

// Writes a BC6H block of mode 11, which has two end points of 10 bits per channel.
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

// Writes a BC7 block of mode 6, which has two end points of 7 bits per channel. The channels of an
// end point share an additional lowest bit: here, the number of the end point.
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

static void *encode_packed(struct arena *arena, enum gpu_format format, size_t *bytes)
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

// ---------------------------------------------------------------- elements as bytes

unsigned loads_levels(const struct loads_kind *kind)
{
    return loads_traits_of(kind)->levels ? loads_traits_of(kind)->levels : 1;
}

float loads_centre(const struct loads_kind *kind)
{
    const struct loads_traits *traits = loads_traits_of(kind);
    return traits->centre > 0 ? traits->centre : 0.5f;
}

// Returns the bits of `value` as a 16-bit float (IEEE 754 binary16), which must hold the value
// exactly, as a normal number.
static uint16_t half_of(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); // 1/2 ≤ `fraction` < 1
    unsigned mantissa = (unsigned)(fraction * 2048) & 1023;
    return (uint16_t)((value < 0 ? 0x8000u : 0) | (unsigned)(exponent - 1 + 15) << 10 | mantissa);
}

// Writes one channel of one element to `to`.
static void encode(const struct loads_kind *kind, unsigned element, unsigned channel,
                   unsigned char *to)
{
    uint32_t word = (uint32_t)number_of(kind, element, channel);
    double value = loads_value(kind, element, channel);
    float single = (float)value;
    uint16_t half;
    if (kind->data == LOADS_FLOAT16) {
        half = half_of(value);
        memcpy(to, &half, sizeof half);
    } else if (kind->data == LOADS_FLOAT32) {
        memcpy(to, &single, sizeof single);
    } else if (kind->data == LOADS_UINT32) {
        memcpy(to, &word, sizeof word);
    } else { // a channel of UNORM8 or UINT8 has one byte
        *to = (unsigned char)word;
    }
}

void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes)
{
    if (kind->data == LOADS_PACKED)
        return encode_packed(arena, kind->format, bytes);
    // A gather loads one channel of four texels, so the format says how many channels a texel has.
    bool gather = kind->source == LOADS_FROM_GATHER;
    unsigned channels = gather ? gpu_format_channels(kind->format) : kind->width;
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
