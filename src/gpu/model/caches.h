// SPDX-License-Identifier: MIT
// The memory of a model as its loads see it: translation, caches, DRAM. Knows lines and sectors,
// not data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Empty caches; per core where the machine has them so, made when a core loads first. They live in
// `arena`, as does the machine.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// A load by a core at `now` (cycles), of bytes that lie within one sector of every level: returns
// the cycles until its value is there, and puts line and sector where they were missing.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

#endif
