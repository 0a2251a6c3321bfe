// SPDX-License-Identifier: MIT
// Simulates the address translation, the caches and the DRAM of a device. The simulation knows
// which lines and sectors a cache contains, but stores no data.
#ifndef GPU_MODEL_CACHES_H
#define GPU_MODEL_CACHES_H

#include "gpu/model/machine.h"

struct model_caches;

// Creates empty simulated caches. Each cache gets its host memory when a core first uses it.
// `arena` and `machine` must live as long as the caches.
struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine);

// Returns the lowest address that is too large for the tags of the caches. Buffers must end at or
// below this address.
uint64_t model_caches_end(const struct model_caches *caches);

// Sets the duration of a core cycle in ns for all later loads.
void model_caches_clock(struct model_caches *caches, double cycle_ns);

// Simulates a load that a core starts at time `now`, in cycles. The loaded bytes must lie within
// one sector of every level. Returns the duration of the load in cycles. Each cache that the load
// misses gets the line or sector.
double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now);

// Returns an array with the number of loads that each level has served so far; element i is for
// level i. The last element is the number of loads that memory has served.
const uint64_t *model_caches_served(const struct model_caches *caches);

// Simulates a fill or copy of `bytes` bytes: empties each cache whose capacity is at most `bytes`.
// Does not change the TLBs.
void model_caches_fill(struct model_caches *caches, uint64_t bytes);

// Makes the host prefetch the memory of the simulated sets that a later load from `address` will
// use. Leaves out the sets of the first level and of the TLBs. Does not change the simulated
// caches.
void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address);

#endif
