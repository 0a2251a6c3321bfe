// SPDX-License-Identifier: MIT
// The texels of every format, by formula: the bytes to upload, and the four words that a kernel
// reads (floats as their bits).
#ifndef CONFORMANCE_TEXELS_H
#define CONFORMANCE_TEXELS_H

#include "conformance.h"

bool texel_is_uint(enum gpu_format format);

// Texels 0 … count−1 of a pattern. The format represents the value of each channel exactly.
void *texel_pattern(struct arena *arena, enum gpu_format format, size_t count);

// Asserts that `words` are what a kernel must read from texel `index` of the pattern.
void assert_texel(enum gpu_format format, size_t index, const uint32_t words[4]);

// Asserts that `words`, read from texel `index`, are what conf_store_… and conf_image_rw_… write.
void assert_stored(enum gpu_format format, size_t index, const uint32_t words[4]);

#endif
