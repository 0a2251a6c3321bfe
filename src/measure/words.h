// SPDX-License-Identifier: MIT
// The buffer to which timed kernels add what they did (bench/prelude/words.glsl): a sum of what
// they read, and a count. Each is spread over many words, because additions to one word would wait
// for each other.
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include "gpu/gpu.h"

enum {
    MEASURE_WORDS_SLOTS = 1024 // words of the sum and words of the count; WORDS_SLOTS in kernels
};

struct measure_words {
    uint32_t sum; // modulo 2^32
    uint64_t count;
};

// Creates the buffer, whose contents are undefined until it is cleared. NULL with the error.
struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err);

MUST_CHECK bool measure_words_clear(struct gpu_buffer *buffer, struct error *err);

// Reads what all kernels have added since the last measure_words_clear.
MUST_CHECK bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words,
                                   struct error *err);

// `x` after so many rounds of xorshift32 (Marsaglia), as kernels of arithmetic compute it. 0 counts
// as 1, because 0 would stay 0.
uint32_t measure_words_mix(uint32_t x, uint64_t rounds);

#endif
