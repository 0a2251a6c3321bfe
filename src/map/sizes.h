// SPDX-License-Identifier: MIT
// Computes the sizes of the levels, and the regions that lie in one level alone. Also finds what
// chains show that cover such a region but visit few pages at a time. Translation adds almost
// nothing to the latency of such a chain, because it uses each page for several loads.
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
// If the probes do not show the capacity, the lower end assumes the shortest possible lines. The
// upper end is then the region at which the level ends on the curve.
void map_level_sizes(const struct map_caches *caches, struct map_size *sizes);

// Returns the range of region sizes that lie in level k alone: well beyond level k − 1 and well
// within level k. If no size does, `low` is above `high`. The last level of the curve is memory;
// its regions are three to four times as large as the last cache. `sizes` comes from
// map_level_sizes.
struct map_size map_level_alone(const struct level_curve *curve, const struct map_size *sizes,
                                size_t k);

// Chains over few pages at a time are to show level k. (The last level is memory.) Stores the sizes
// of their regions in `regions`, and returns the number of sizes. Returns 0 if the level has no
// room for regions that differ enough.
size_t map_level_local_regions(const struct map_caches *caches, size_t k,
                               double regions[MAP_LOCAL_POINTS]);

// What the chains over few pages at a time show of a level, if their regions lie in this level
// alone.
struct map_local {
    // result of the fastest of these chains; NULL if they were not all measured
    const struct result *fastest;
    // True if `fastest` shows the level's latency. All these chains must be about equally fast. In
    // a cache, the fastest must also not be slower than the level by the fit of random chains.
    bool agrees;
    // true if address translation makes random chains slower in the region of one of these chains
    bool translated;
};
struct map_local map_level_local(struct arena *arena, const struct map_caches *caches,
                                 const struct run *run, size_t k);

// Sets caches->unsure[k] in two cases. Both are about chains over few pages at a time. First:
// beyond the end of level k these chains are about as fast as within it. Address translation may
// then cause the rise at this end. Second: they show that a further cache may end within level k,
// or within what the curve shows as memory after it.
void map_level_judge(struct arena *arena, const struct run *run, struct map_caches *caches);

#endif
