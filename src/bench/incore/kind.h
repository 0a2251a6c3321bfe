// SPDX-License-Identifier: MIT
// The operations, and what a chain of them comes to by the host's own arithmetic.
#ifndef BENCH_INCORE_KIND_H
#define BENCH_INCORE_KIND_H

#include "bench/incore/incore.h"
#include "measure/claim.h"

// How a peak kernel is written: what was fastest on an H200 (METHOD.md).
struct incore_shape {
    unsigned chains, steps; // of a thread in a turn, over all chains
};

struct incore_kind {
    const char *name;           // "fp32-fma"
    const char *kernel;         // on one core; the chip's peak is the same with "_peak"
    unsigned number, operation; // of tiles: INCORE_TILE and the format
    unsigned steps; // of a thread in a turn, on one core; 0: only the whole chip is measured
    gpu_caps caps;
    unsigned results;    // of a step of a thread: 2 for packed; of tiles its share of the sums
    unsigned arithmetic; // operations that a result counts: 2 for fma and mad
    const struct incore_shape *peak; // NULL: there is no kernel for the whole chip
};

extern const struct incore_kind incore_kinds[];
extern const size_t incore_kind_count;

// Barriers have a kernel for each size of a workgroup: which one (0, 1 …), −1 = there is none.
int incore_barrier_kernel(unsigned threads);

// The units that compute it.
enum measure_class incore_kind_class(const struct incore_kind *kind);

// The slots of a proof (two words each, INCORE_SLOTS of them): where the chains begin, and what
// each should be after so many steps of its own. Results of inexact functions are at the host's
// precision; for these, chains settle within 1024 steps and go no further here.
void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words);

// The part of it for operations from INCORE_DOT on (special.c).
void incore_kind_fill_special(const struct incore_kind *kind, uint64_t steps, uint32_t *words);

#endif
