// SPDX-License-Identifier: MIT
// The memory of a model as its loads see it: translation, caches, DRAM. Knows lines and sectors,
// not data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Empty caches, each made when a core that it belongs to loads first. They live in `arena`, as does
// the machine. The core's clock is the machine's.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// Addresses from here on are not told apart from lower ones.
uint64_t model_caches_end(const struct model_caches *caches);

// What a core cycle lasts from now on.
void model_caches_clock(struct model_caches *caches, double cycle_ns);

// A load by a core at `now` (cycles), of bytes that lie within one sector of every level: returns
// the cycles until its value is there, and puts line and sector where they were missing.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

// That a load from there comes soon: changes nothing but how long the host takes for it.
void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address);

#endif
