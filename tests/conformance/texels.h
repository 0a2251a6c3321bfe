// SPDX-License-Identifier: MIT
// What texels of every format hold, by formula: as bytes to upload, and as the four words that a
// kernel reads (floats by their bits).
#ifndef CONFORMANCE_TEXELS_H
#define CONFORMANCE_TEXELS_H

#include "conformance.h"

bool texel_is_uint(enum gpu_format format);

// Texels 0 … count−1 of a pattern whose every channel is exact in its format.
void *texel_pattern(struct arena *arena, enum gpu_format format, size_t count);

// A kernel that read texel `index` of the pattern saw `words`.
void assert_texel(enum gpu_format format, size_t index, const uint32_t words[4]);

// A kernel read `words` back from texel `index` of what conf_store_… and conf_image_rw_… write.
void assert_stored(enum gpu_format format, size_t index, const uint32_t words[4]);

#endif
