// SPDX-License-Identifier: MIT
// The buffer in which timed kernels record their work (bench/prelude/words.glsl): the sum of the
// values that they read, and a count (of workgroups, for example). Both the sum and the count are
// spread over many words, because atomic additions to a single word would wait for each other.
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include "gpu/gpu.h"

enum {
    // Number of words for the sum, and also number of words for the count. Kernels spread their
    // additions over these words, and the host adds the words up. Kernels call this number
    // WORDS_SLOTS.
    MEASURE_WORDS_SLOTS = 1024
};

struct measure_words {
    uint32_t sum; // sum of the values that kernels read, modulo 2^32
    uint64_t count;
};

// Creates the buffer for the sum and the count. Its contents are undefined until
// measure_words_clear. Returns NULL with an error.
struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err);

MUST_CHECK bool measure_words_clear(struct gpu_buffer *buffer, struct error *err);

// Reads what all kernels since the last measure_words_clear have added to the sum and the count.
MUST_CHECK bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words,
                                   struct error *err);

// Returns `x` after `rounds` steps of xorshift32 (Marsaglia), as arithmetic kernels compute it.
// Starts from 1 if x is 0, because xorshift never leaves 0.
uint32_t measure_words_mix(uint32_t x, uint64_t rounds);

#endif
