// SPDX-License-Identifier: MIT
// What the probes show of the caches that make steps of the curve: lines, sizes and sharers.
#ifndef MAP_CACHES_H
#define MAP_CACHES_H

#include "map/judge.h"
#include "map/lines.h"
#include "map/steps.h"

struct map_caches {
    struct map_steps steps;
    // [level]: its line. If lines are not as long as the curve's nodes are apart, chains with a
    // node in each line tell the capacity; `sized` is then true, and sizes[level] has it.
    struct lines_answer lines[PLATEAUS_MAX];
    struct staircase_step sizes[PLATEAUS_MAX];
    bool sized[PLATEAUS_MAX];
};

// The chains of a level whose line is known: multiples of the capacity.
extern const double map_caches_regions[];
extern const size_t map_caches_region_count;

// The steps of `curve`, as map_steps_of() has them, and the lines of its levels. The levels end
// before the first step whose probes fit no cache. A fit in caches->steps.all is kept, if it is of
// as many points.
void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches);

// True if a TLB may make a rise within an octave of the end of level k.
bool map_caches_near_translation(const struct map_caches *caches, size_t k);

// Level k, for the probes of map/judge.h.
struct map_level map_caches_level(const struct map_caches *caches, size_t k);

// The probes of who shares level k, in `probes`, and what they tell. `again`: with those that the
// first ones make necessary.
struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count);

#endif
