// SPDX-License-Identifier: MIT
// Computes the sizes of the levels, and the regions that lie in one level alone. Also judges chains
// over such regions that visit few pages at a time. Address translation adds almost nothing to the
// latency of these chains, because they use each page for several loads.
#ifndef MAP_SIZES_H
#define MAP_SIZES_H

#include "map/caches.h"

enum {
    MAP_LOCAL_POINTS = 3 // number of chains over few pages at a time that are measured for a level
};

// Interval that contains the size of a level, in bytes.
struct map_size {
    double low, high;
};

// A level ends at some region on the latency curve. The size of the level is this region times the
// factor `size`. `least` is the lower bound of the factor.
struct map_scale {
    double size, least;
};

// Returns the factors for level k. If the probes show its capacity, both factors are the ratio of
// this capacity to the region. Otherwise `size` is 1, and `least` is at most 1. `least` assumes
// that each node of the curve touches one line (16 bytes if the line is unknown), and not the
// memory between the nodes.
struct map_scale map_level_scale(const struct map_caches *caches, size_t k);

// Sets sizes[k] to the interval of the size of each level k of the latency curve of vector loads.
// If the probes do not show the capacity, the upper end is the region at which the level ends on
// the curve. The lower end assumes that a chain touches only one line of the known length, or of 16
// bytes, for each node.
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
    // result of the fastest of these chains; NULL if they were not all measured
    const struct result *fastest;
    // True if `fastest` shows the level's latency. All these chains must be about equally fast. In
    // a cache, the fastest one must not be slower than the level is by the fit of random chains.
    bool agrees;
    // true if address translation makes random chains slower in the region of one of these chains
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
