// SPDX-License-Identifier: MIT
// Judges the caches that the latency curve shows as steps. Probes show the lines and the sizes of
// the caches, and how many cores share one cache.
#ifndef MAP_CACHES_H
#define MAP_CACHES_H

#include "map/judge.h"
#include "map/lines.h"
#include "map/steps.h"

struct map_caches {
    struct map_steps steps;
    // lines[k] is the line, the sector and the capacity of level k. If its line does not have
    // MAP_NODE_BYTES bytes, chains with one node in each line are measured to find the capacity. If
    // these chains show it, sized[k] is true, and sizes[k] is the step of their latency at the
    // capacity.
    struct lines_answer lines[PLATEAUS_MAX];
    struct staircase_step sizes[PLATEAUS_MAX];
    bool sized[PLATEAUS_MAX];
    // ends[k] is true if chains with one node in each line show that level k ends. (The place of
    // the end may still be unknown.) endless[k] is true if such chains were measured but show no
    // end.
    bool ends[PLATEAUS_MAX], endless[PLATEAUS_MAX];
    // unsure[k] is NULL if the rise at the end of level k is certainly the end of a separate cache.
    // Otherwise it says why the rise may be something else, as part of a sentence. If any element
    // is not NULL, the number of levels is unknown.
    const char *unsure[PLATEAUS_MAX];
};

// Regions of the chains with one node in each line that find a level's capacity, as multiples of
// the expected capacity.
extern const double map_caches_regions[];
extern const size_t map_caches_region_count;

// Finds the steps of the latency curve `curve` (map_steps_of), the lines of its levels, and which
// levels may not be caches. If no cache explains the probes of a step, the step and all later
// levels are not valid, unless the curve and all probes together clearly show the step. An earlier
// fit in caches->steps.all is kept if it has all points of the curve and all probes. Without an
// earlier fit, caches->steps.all must be zero.
void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches);

// True if the run has a probe with the chain's stride and a region within 15 % of the chain's.
bool map_caches_has_probe(const struct map_steps *steps, const struct run *run,
                          const struct lines_chain *chain);

// Returns the approximate size in bytes of level k. The line of the level must be known and must
// not be MAP_NODE_BYTES. If the probes of the line show the capacity, returns it. Otherwise
// estimates the size from the line and from where the level ends on the curve. Chains with one node
// in each line are measured over regions around this size.
double map_caches_size_about(const struct map_caches *caches, size_t k);

// True if address translation may cause a rise near the end of level k: within an octave of this
// end, the latency curve has a step that may be that of a TLB. The step must rise more than a
// quarter as much as the step at the end of level k.
bool map_caches_near_translation(const struct map_caches *caches, size_t k);

// True if level k may end later than the curve suggests: the next rise of the curve is near and may
// belong to the same cache.
bool map_caches_may_go_on(const struct map_caches *caches, size_t k);

// Returns the description of level k that the functions of map/judge.h take.
struct map_level map_caches_level(const struct map_caches *caches, size_t k);

// Returns how many cores share level k, as far as the run's results show it. Stores the probes for
// this question in `probes` and their number in *count. With `again`, these include a second
// series, which depends on the results of the first one.
struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count);

#endif
