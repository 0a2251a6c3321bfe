// SPDX-License-Identifier: MIT
#include "measure/words.h"

struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = sizeof(uint32_t[2 * MEASURE_WORDS_SLOTS])};
    return gpu_buffer_create(scope, &desc, err);
}

bool measure_words_clear(struct gpu_buffer *buffer, struct error *err)
{
    static const uint32_t zeros[2 * MEASURE_WORDS_SLOTS];
    return gpu_buffer_write(buffer, 0, zeros, sizeof zeros, err);
}

bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words, struct error *err)
{
    uint32_t seen[2 * MEASURE_WORDS_SLOTS];
    *words = (struct measure_words){0};
    if (!gpu_buffer_read(buffer, 0, seen, sizeof seen, err))
        return false;
    for (size_t slot = 0; slot < MEASURE_WORDS_SLOTS; slot++) {
        words->sum += seen[slot];
        words->count += seen[MEASURE_WORDS_SLOTS + slot];
    }
    return true;
}

uint32_t measure_words_mix(uint32_t x, uint64_t rounds)
{
    x |= x == 0;
    for (uint64_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}
