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
    // lines[k] is the line, the sector and the capacity of level k. If its line is known and is not
    // MAP_NODE_BYTES, chains with one node in each line look for the capacity. If they show it,
    // sized[k] is true, and sizes[k] is the rise of their latency at the capacity.
    struct lines_answer lines[PLATEAUS_MAX];
    struct staircase_step sizes[PLATEAUS_MAX];
    bool sized[PLATEAUS_MAX];
    // ends[k] is true if chains with one node in each line show that level k ends. (The place of
    // the end may still be unknown.) endless[k] is true if such chains were measured but show no
    // end (never if the core clock had two states).
    bool ends[PLATEAUS_MAX], endless[PLATEAUS_MAX];
    // unsure[k] says, as part of a sentence, why the rise at the end of level k may not be the end
    // of a separate cache. It is NULL if nothing was found that speaks against a cache. If any
    // element is not NULL, the number of levels is unknown.
    const char *unsure[PLATEAUS_MAX];
};

// Regions of the chains with one node in each line, as multiples of a level's expected capacity.
extern const double map_caches_regions[];
extern const size_t map_caches_region_count;

// Finds the steps (rises) of the latency curve `curve` (map_steps_of), the lines of its levels, and
// which levels may not be caches. If no cache explains the probes of a step, this step and all
// later levels are not valid, unless the curve and all probes together clearly show the step. On
// entry, caches->steps.all must be zero or an earlier fit, which is kept if it has all points and
// probes.
void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches);

// Returns the probe that is most similar to `chain`: it has the same stride, and its region is
// nearest to that of `chain`. Returns NULL if no such region is within 15 %.
const struct map_step_probe *map_caches_probe_near(const struct map_steps *steps,
                                                   const struct lines_chain *chain);

// Returns the approximate size in bytes of level k, whose line must be known. This is the capacity
// if the probes show it. Otherwise it is an estimate from the line and from where the level ends on
// the curve.
double map_caches_size_about(const struct map_caches *caches, size_t k);

// True if address translation may cause a rise near the end of level k. This is so if a step of the
// latency curve within an octave of this end may be a TLB's, and rises more than a quarter as much
// as the step at the end of level k.
bool map_caches_near_translation(const struct map_caches *caches, size_t k);

// True if level k may end later than the curve suggests: the next rise of the curve is near and may
// belong to the same cache.
bool map_caches_may_go_on(const struct map_caches *caches, size_t k);

// Returns a description of level k for the functions of map/judge.h. The level must not be the last
// one of the curve.
struct map_level map_caches_level(const struct map_caches *caches, size_t k);

// Returns how many cores share level k, as far as the run's results show it. Stores the probes that
// show it in `probes`, and their number in *count. If `again` is true, the probes include a second
// series, which depends on the results of the first series.
struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count);

// ---------------------------------------------------------------- sizes of levels (map/sizes.c)
// Computes the sizes of the levels, and the regions that lie in one level alone. Also judges chains
// over such regions that visit few pages at a time. Address translation adds almost nothing to the
// latency of these chains, because they use each page for several loads.

enum {
    // Number of chains that are measured to judge one level, each over another region. A chain
    // visits few pages at a time, so address translation costs almost nothing. A level without
    // such a region has no chain.
    MAP_LOCAL_POINTS = 3
};

// Interval that contains the size of a level, in bytes.
struct map_size {
    double low, high;
};

// The size of a level is the region at which the level ends on the latency curve, times the factor
// `size`. `least` is the lower bound of this factor.
struct map_scale {
    double size, least;
};

// Returns the factors for level k. If the probes show its capacity, both factors are the capacity
// divided by the region. Otherwise `size` is 1. `least` is then the line (16 bytes if it is
// unknown) divided by the stride of the curve's chain, but at most 1.
struct map_scale map_level_scale(const struct map_caches *caches, size_t k);

// Sets sizes[k] to the interval of the size of level k, for each flat level of vector loads but the
// last one. If chains with one node in each line show the capacity, this is its interval. Otherwise
// it is the interval of the level's end on the curve, multiplied by map_level_scale.
void map_level_sizes(const struct map_caches *caches, struct map_size *sizes);

// Returns the range of region sizes that lie in level k alone: well beyond level k − 1 and well
// within level k. If there is no such size, `low` is above `high`. The last level of the curve is
// memory; its regions are three to four times as large as the last cache. `sizes` comes from
// map_level_sizes.
struct map_size map_level_alone(const struct level_curve *curve, const struct map_size *sizes,
                                size_t k);

// Stores the region sizes of the chains over few pages at a time that show level k, and returns
// their number. The last level is memory. Returns 0 if the level has no room for regions that
// differ enough.
size_t map_level_local_regions(const struct map_caches *caches, size_t k,
                               double regions[MAP_LOCAL_POINTS]);

// What the chains over few pages at a time show of a level, if their regions lie in this level
// alone.
struct map_local {
    // The result of the fastest of these chains. It is NULL if fewer than MAP_LOCAL_POINTS chains
    // have a usable result. A result that is too noisy does not count.
    const struct result *fastest;
    // True if `fastest` shows the level's latency: all chains over few pages are about equally
    // fast. In a cache, `fastest` must also not be slower than the level is by the fit.
    bool agrees;
    // true if a chain over few pages is faster than a random chain over the same region, because
    // address translation slows the random chain
    bool translated;
};
struct map_local map_level_local(struct arena *arena, const struct map_caches *caches,
                                 const struct run *run, size_t k);

// Sets caches->unsure[k] from chains over few pages at a time, in two cases:
// - The chains are about as fast beyond the end of level k as within it. Address translation may
//   then cause the rise at this end.
// - The chains show that a further cache may end within level k, or within what the curve shows as
//   memory after it.
void map_level_judge(struct arena *arena, const struct run *run, struct map_caches *caches);

#endif
