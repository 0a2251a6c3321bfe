// SPDX-License-Identifier: MIT
#include "texels.h"

#include <math.h>
#include <string.h>

bool texel_is_uint(enum gpu_format format)
{
    return strstr(gpu_format_name(format), "_uint");
}

static bool is_unorm(enum gpu_format format)
{
    return strstr(gpu_format_name(format), "_unorm");
}

static uint32_t number(size_t index, unsigned channel)
{
    return (uint32_t)(4 * index + channel) % 256;
}

// n / 8 as IEEE half precision, exact for n < 2048.
static uint16_t half_of_eighths(uint32_t n)
{
    if (n == 0)
        return 0;
    unsigned exponent = 0;
    while (n >> (exponent + 1))
        exponent++;
    uint32_t mantissa = (n << (10 - exponent)) & 0x3ff;
    return (uint16_t)((exponent - 3 + 15) << 10 | mantissa);
}

static float pattern_float(enum gpu_format format, uint32_t n)
{
    if (is_unorm(format))
        return (float)n / 255.0f;
    return gpu_format_bytes(format) / gpu_format_channels(format) == 2
               ? (float)n / 8.0f
               : (float)n * 0.125f - 1000.0f;
}

static uint32_t pattern_uint(uint32_t n)
{
    return n * 16777259u;
}

void *texel_pattern(struct arena *arena, enum gpu_format format, size_t count)
{
    unsigned channels = gpu_format_channels(format);
    unsigned channel_bytes = gpu_format_bytes(format) / channels;
    unsigned char *texels = arena_alloc(arena, count * gpu_format_bytes(format)), *at = texels;
    for (size_t i = 0; i < count; i++) {
        for (unsigned channel = 0; channel < channels; channel++, at += channel_bytes) {
            uint32_t n = number(i, channel), word = pattern_uint(n);
            uint16_t half = half_of_eighths(n);
            float value = pattern_float(format, n);
            if (channel_bytes == 1)
                *at = (unsigned char)n;
            else if (channel_bytes == 2)
                memcpy(at, &half, 2);
            else
                memcpy(at, texel_is_uint(format) ? (void *)&word : (void *)&value, 4);
        }
    }
    return texels;
}

static float as_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void assert_channel(enum gpu_format format, size_t index, unsigned channel, uint32_t word,
                           double expected, double tolerance)
{
    double seen = texel_is_uint(format) ? (double)word : (double)as_float(word);
    if (!(fabs(seen - expected) <= tolerance))
        fail_msg("%s, texel %zu, channel %u: %.9g, not %.9g", gpu_format_name(format), index,
                 channel, seen, expected);
}

// Ignores channels that the format lacks: they are 0, 0, 0, 1 in Vulkan, but not in PoCL.
void assert_texel(enum gpu_format format, size_t index, const uint32_t words[4])
{
    // A UNORM value is a quotient; its last bit may be rounded either way.
    double tolerance = is_unorm(format) ? 1.0 / (1 << 23) : 0.0;
    for (unsigned channel = 0; channel < gpu_format_channels(format); channel++) {
        uint32_t n = number(index, channel);
        double expected =
            texel_is_uint(format) ? (double)pattern_uint(n) : (double)pattern_float(format, n);
        assert_channel(format, index, channel, words[channel], expected, tolerance);
    }
}

void assert_stored(enum gpu_format format, size_t index, const uint32_t words[4])
{
    unsigned channel_bytes = gpu_format_bytes(format) / gpu_format_channels(format);
    // The kernel's n / 255 may be wrong by 2.5 units in the last place. Halves have 11 bits.
    double tolerance = channel_bytes == 2 ? 1.0 / 2048 : 1.0 / (1 << 21);
    for (unsigned channel = 0; channel < gpu_format_channels(format); channel++) {
        uint32_t n = number(index, channel);
        assert_channel(format, index, channel, words[channel],
                       texel_is_uint(format) ? n : n / 255.0,
                       texel_is_uint(format) ? 0 : tolerance);
    }
}
