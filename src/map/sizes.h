// SPDX-License-Identifier: MIT
// Computes the sizes of the levels and the regions that lie in one level alone. Also finds what
// chains over these regions show that visit few pages at a time. Translation adds almost nothing to
// the latency of such a chain, because it uses each page for several loads.
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

// Factors by which the region where a level ends on the latency curve is multiplied to get the size
// of the level: `size` is the factor itself, `least` its lower bound.
struct map_scale {
    double size, least;
};

// Returns the factors for level k. If the probes show its capacity, both factors are the ratio of
// this capacity to the region. Otherwise `size` is 1, and `least` assumes that the curve's nodes
// touch only a part of the memory between them: one line each, of 16 bytes if the line is unknown.
struct map_scale map_level_scale(const struct map_caches *caches, size_t k);

// Sets sizes[k] to the interval of the size of each level k of the latency curve of vector loads.
// If the probes do not show the capacity, the interval reaches from the size with the shortest
// possible lines to the region at which the level ends on the curve.
void map_level_sizes(const struct map_caches *caches, struct map_size *sizes);

// Returns the range of region sizes that lie in level k alone: well beyond level k − 1 and well
// within level k. If no size does, `low` is above `high`. The last level of the curve is memory;
// its regions are three to four times as large as the last cache. `sizes` comes from
// map_level_sizes.
struct map_size map_level_alone(const struct level_curve *curve, const struct map_size *sizes,
                                size_t k);

// Stores the sizes of the regions for the chains over few pages at a time that are to show level k.
// (The last level is memory.) Returns their number; 0 if the level has no room for regions that
// differ enough.
size_t map_level_local_regions(const struct map_caches *caches, size_t k,
                               double regions[MAP_LOCAL_POINTS]);

// What the chains over few pages at a time show of a level, if their regions lie in this level
// alone.
struct map_local {
    // result of the fastest of these chains; NULL if they were not all measured
    const struct result *fastest;
    // true if all these chains are about equally fast, so that `fastest` shows the level's latency
    bool agrees;
    // true if address translation makes random chains slower in the region of one of these chains
    bool translated;
};
struct map_local map_level_local(struct arena *arena, const struct map_caches *caches,
                                 const struct run *run, size_t k);

// Sets caches->unsure[k] in two cases. First: chains over few pages at a time are about as fast
// beyond the end of level k as within the level, so address translation may cause the rise at this
// end. Second: such chains show that a further cache may end within level k, or beyond it in what
// the curve shows as memory.
void map_level_judge(struct arena *arena, const struct run *run, struct map_caches *caches);

#endif
