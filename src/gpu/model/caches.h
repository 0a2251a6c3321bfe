// SPDX-License-Identifier: MIT
// Simulates a model's address translation, caches and DRAM. It simulates the presence of lines and
// sectors, but holds no data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Creates empty caches. Each cache gets its memory when a core first loads through it. `arena` and
// `machine` must live as long as the caches.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// Returns the lowest address that the tags of the caches cannot represent. Buffers must lie below
// it.
uint64_t model_caches_end(const struct model_caches *caches);

// Sets the duration of a core cycle from now on.
void model_caches_clock(struct model_caches *caches, double cycle_ns);

// Simulates a load by a core at time `now` (in cycles). The loaded bytes must lie within one sector
// of every level. Returns the duration in cycles, and adds the line and the sector to the caches
// that missed.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

// Returns the number of loads that each level has served so far; the last element counts the loads
// that the memory has served.
const uint64_t *model_caches_served(const struct model_caches *caches);

// Simulates that a fill or copy wrote `bytes`: empties all caches whose capacity is at most
// `bytes`.
void model_caches_fill(struct model_caches *caches, uint64_t bytes);

// Announces a load: the host prefetches the words that simulate its lines. The simulated caches do
// not change.
void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address);

#endif
