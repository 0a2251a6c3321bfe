// SPDX-License-Identifier: MIT
// The buffer that timed kernels add to (bench/prelude/words.glsl): a sum of what they read and a
// count, each spread over many words, because additions would queue up at one.
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include "gpu/gpu.h"

enum {
    MEASURE_WORDS_SLOTS = 1024 // words of the sum, and of the count; kernels have it as WORDS_SLOTS
};

struct measure_words {
    uint32_t sum; // modulo 2^32
    uint64_t count;
};

// The buffer, undefined until it is cleared. NULL with `err`.
struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err);

MUST_CHECK bool measure_words_clear(struct gpu_buffer *buffer, struct error *err);

// What all kernels since the clearing have added.
MUST_CHECK bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words,
                                   struct error *err);

#endif
