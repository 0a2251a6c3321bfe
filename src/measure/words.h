// SPDX-License-Identifier: MIT
// The buffer in which timed kernels record their work (bench/prelude/words.glsl): a sum of the
// values that they read, and a count. Each is spread over many words, because additions to one word
// would wait for each other.
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include "gpu/gpu.h"

enum {
    MEASURE_WORDS_SLOTS = 1024 // words for the sum, and again for the count; kernels: WORDS_SLOTS
};

struct measure_words {
    uint32_t sum; // modulo 2^32
    uint64_t count;
};

// Creates the buffer, whose contents are undefined until it is cleared. NULL on errors.
struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err);

MUST_CHECK bool measure_words_clear(struct gpu_buffer *buffer, struct error *err);

// Reads the sum and the count of all kernels since the last measure_words_clear.
MUST_CHECK bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words,
                                   struct error *err);

// Returns `x` after `rounds` rounds of xorshift32 (Marsaglia), as kernels of arithmetic compute it.
// x = 0 is replaced by 1, because 0 would stay 0.
uint32_t measure_words_mix(uint32_t x, uint64_t rounds);

#endif
