// SPDX-License-Identifier: MIT
// What the loads find: hashed, finite, never zero, and such that what a thread adds up is known.
#ifndef BENCH_LOADS_DATA_H
#define BENCH_LOADS_DATA_H

#include "bench/loads/kind.h"
#include "bench/loads/loads.h"

uint32_t loads_hash(uint32_t v);

// Channel `channel` of element `element` (of texel x + y × LOADS_SIDE; those of the next smaller
// level follow, LOADS_SIDE / 2 a row).
double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel);

// LOADS_ELEMENTS elements as they stand in memory, from byte start_bytes on, and where there are
// further levels a quarter as many of each next; `bytes` is all of it. What an anisotropic sample
// finds repeats every LOADS_TILE texels, so that however a filter weighs its neighbours a tile adds
// up to the same; further levels hold a quarter of it, so that reading them is found out.
void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes);
unsigned loads_levels(const struct loads_kind *kind); // of detail: 1, 2 or 3

// Where in a texel of normalised size 1 kernels sample it.
float loads_centre(const struct loads_kind *kind);

enum loads_pattern { // in the order of the choices
    LOADS_UNIFORM,   // every thread the same
    LOADS_LINEAR,    // thread g begins at element g
    LOADS_RANDOM,    // at one of 16 that a hash of g chooses; of a texture's 2 × 2, four apart
    LOADS_SCATTERED  // at one of 256 that a hash of its own chooses, wherever its neighbours are
};

// What a kernel has a thread's first element from, along one axis: (id × multiplier) & keep, where
// it is scattered with loads_hash(seed) instead of id. Seeds: the thread's number; of a texture
// twice that, plus 1 downwards.
struct loads_start {
    uint32_t multiplier, keep, scatter;
};
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern);
unsigned loads_first(struct loads_start start, unsigned id, unsigned seed);

// Sums of the LOADS_THREADS threads of a workgroup, channels weighted 1, 3, 5, 7.
void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS]);

// How far a right sum may be from that. Floats are exact. UNORM: each of 256 additions rounds by
// at most half a unit of the last place below 256 (2^-17). Filters: 2^-8 of the range a load, for
// that is how finely hardware tells fractions; twice that between levels. Off the centre less, so
// that the centre would be told from it: a quarter is a fraction without rest.
float loads_tolerance(const struct loads_kind *kind);

#endif
