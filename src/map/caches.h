// SPDX-License-Identifier: MIT
// Judges the caches that the latency curve shows as steps. Probes show their lines, their sizes and
// how many cores share them.
#ifndef MAP_CACHES_H
#define MAP_CACHES_H

#include "map/judge.h"
#include "map/lines.h"
#include "map/steps.h"

struct map_caches {
    struct map_steps steps;
    // This array and the next two have one element per level. lines[k]: line, sector and capacity
    // of level k. If the line of level k is not MAP_NODE_BYTES (the distance of the curve's nodes),
    // chains with one node in each line are measured to find the capacity. If they show it,
    // sized[k] is true, and sizes[k] is the step that their latency makes at the capacity.
    struct lines_answer lines[PLATEAUS_MAX];
    struct staircase_step sizes[PLATEAUS_MAX];
    bool sized[PLATEAUS_MAX];
    // ends[k] is true if chains with one node in each line show that level k ends, although perhaps
    // not where. endless[k] is true if such chains were measured but show no end.
    bool ends[PLATEAUS_MAX], endless[PLATEAUS_MAX];
    // unsure[k] is the reason why the rise at the end of level k may not be the end of a separate
    // cache, as part of a sentence. It is NULL if the rise certainly is such an end. If any element
    // is set, the number of levels is unknown.
    const char *unsure[PLATEAUS_MAX];
};

// Regions of the chains with one node in each line that find a level's capacity, as multiples of
// the expected capacity.
extern const double map_caches_regions[];
extern const size_t map_caches_region_count;

// Finds the steps of the latency curve `curve` (see map_steps_of), the lines of its levels, and
// which levels may not be caches. If no cache explains the probes of a step, neither this step nor
// any later level is valid, unless the curve and all probes together show the step clearly. If
// caches->steps.all already is a fit of the curve and of all probes (its number of points tells),
// this fit is kept.
void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches);

// True if the run has a probe with the chain's stride and a region within 15 % of the chain's.
bool map_caches_has_probe(const struct map_steps *steps, const struct run *run,
                          const struct lines_chain *chain);

// Returns the approximate size in bytes of level k. The line of the level must be known and must
// not be MAP_NODE_BYTES. The size is the capacity that the probes of the line show, or else an
// estimate from the line and from where the level ends on the curve. Chains with one node in each
// line have regions around this size.
double map_caches_size_about(const struct map_caches *caches, size_t k);

// True if address translation may cause a rise near the end of level k: within an octave of this
// end, the latency curve has a step that is, or may be, that of a TLB, and that rises more than a
// quarter as much as the step at this end.
bool map_caches_near_translation(const struct map_caches *caches, size_t k);

// True if level k may end later than the curve suggests. This is so if the next rise of the curve
// is near to the rise at the end of level k and may not be the end of a separate cache. Both may
// then be one rise.
bool map_caches_may_go_on(const struct map_caches *caches, size_t k);

// Returns the description of level k that the functions of map/judge.h take.
struct map_level map_caches_level(const struct map_caches *caches, size_t k);

// Returns how many cores share level k, as far as the run's results show it. Stores the probes for
// this question in `probes`, their number in *count. With `again`, includes a second series of
// probes, which is planned from the results of the first.
struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count);

#endif
