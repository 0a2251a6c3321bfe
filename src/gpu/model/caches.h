// SPDX-License-Identifier: MIT
// Simulates a model's address translation, caches and DRAM. It knows lines and sectors, but no
// data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Creates empty caches. Each cache gets its memory when a core first loads through it. `arena` and
// `machine` must live as long.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// The first address that the tags of the caches cannot represent: addresses must be lower.
uint64_t model_caches_end(const struct model_caches *caches);

// Sets the duration of a core cycle from now on.
void model_caches_clock(struct model_caches *caches, double cycle_ns);

// Simulates a load by a core at time `now` (in cycles). The bytes must lie within one sector of
// every level. Returns the cycles that the load takes, and adds line and sector to the caches that
// missed.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

// Announces a load. The simulated caches do not change; the host prefetches its own data.
void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address);

#endif
