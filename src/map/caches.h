// SPDX-License-Identifier: MIT
// Judges the caches that make steps of the curve by their probes: lines, sizes and sharers.
#ifndef MAP_CACHES_H
#define MAP_CACHES_H

#include "map/judge.h"
#include "map/lines.h"
#include "map/steps.h"

struct map_caches {
    struct map_steps steps;
    // Each array has one element per level. lines[k]: the line of level k. If it differs from the
    // distance of the curve's nodes, chains with a node in each line find the capacity: sized[k] is
    // then true, and sizes[k] has that step.
    struct lines_answer lines[PLATEAUS_MAX];
    struct staircase_step sizes[PLATEAUS_MAX];
    bool sized[PLATEAUS_MAX];
    bool endless[PLATEAUS_MAX]; // such chains were measured, but do not show the end of level k
    // unsure[k]: why the rise at the end of level k may be no cache of its own, as part of a
    // sentence; NULL: it is one. The number of levels is then unknown.
    const char *unsure[PLATEAUS_MAX];
};

// Regions of the chains through a level whose line is known, as multiples of its capacity.
extern const double map_caches_regions[];
extern const size_t map_caches_region_count;

// Finds the steps of `curve` (map_steps_of), the lines of its levels, and which of them may be no
// caches. The levels end before the first step whose probes fit no cache. If caches->steps.all
// already is a fit of as many points as the curve has, it is kept.
void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches);

// True if the run has a probe with the chain's stride and a region within 15 % of the chain's.
bool map_caches_has_probe(const struct map_steps *steps, const struct run *run,
                          const struct lines_chain *chain);

// Returns roughly the size of level k, whose line is known and not MAP_NODE_BYTES: the capacity
// that its probes show, or the middle of what the end of the curve may stand for. Chains with a
// node in each line have regions around this size.
double map_caches_size_about(const struct map_caches *caches, size_t k);

// True if a TLB may cause a rise within an octave of the end of level k.
bool map_caches_near_translation(const struct map_caches *caches, size_t k);

// Returns level k in the form that map/judge.h needs.
struct map_level map_caches_level(const struct map_caches *caches, size_t k);

// Sets `probes` to the probes that show how many cores share level k, and returns what they tell.
// With `again`, includes the further probes that follow from the first ones.
struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count);

#endif
