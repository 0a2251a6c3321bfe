// SPDX-License-Identifier: MIT
// Simulates a device's address translation, caches and DRAM. It knows which lines and sectors are
// in a cache, but holds no data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Creates empty simulated caches. The host memory for a cache is allocated when a core first uses
// the cache. `arena` and `machine` must live as long as the caches.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// Returns the lowest address that is too large for the tags of the caches. Buffers must lie below
// this address.
uint64_t model_caches_end(const struct model_caches *caches);

// Sets the duration of a core cycle, in ns, for the following loads.
void model_caches_clock(struct model_caches *caches, double cycle_ns);

// Simulates a load by a core at time `now` (in cycles). The loaded bytes must lie within one sector
// of every level. Returns the duration of the load in cycles. Each cache that missed then holds the
// line and the sector.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

// Returns an array: element i is the number of loads that level i has served so far. The last
// element counts the loads that the memory has served.
const uint64_t *model_caches_served(const struct model_caches *caches);

// Simulates what a fill or a copy of `bytes` bytes does to the caches: empties each cache whose
// capacity is at most `bytes`. The TLBs do not change.
void model_caches_fill(struct model_caches *caches, uint64_t bytes);

// Prefetches, on the host, the words that the simulation of a later load of this address needs, for
// each level but the first. The simulated caches do not change.
void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address);

#endif
