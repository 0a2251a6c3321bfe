// SPDX-License-Identifier: MIT
// The steps of the latency curve of vector loads, and which of them are caches. A TLB makes steps
// too. Both are told apart by chains with a node every 416 bytes: for a cache they are as long as
// dense chains over fewer lines; for a TLB they are as long as dense chains over the same region.
#ifndef MAP_STEPS_H
#define MAP_STEPS_H

#include "analysis/levels.h"
#include "map/clock_states.h"
#include "map/lines.h"
#include "math/staircase.h"

enum map_step_kind {
    STEP_CACHE,
    STEP_TRANSLATION,
    STEP_UNKNOWN // the probes fit both, or were not measured
};

struct map_steps {
    const struct step_shapes *shapes;
    struct staircase all; // all steps; the probes of all.steps[i] have the level number i + 1
    enum map_step_kind kinds[STAIRCASE_STEPS_MAX];
    bool explained; // the probes are as the steps predict: levels need not be flat
    struct clock_states clocks;
    size_t step[PLATEAUS_MAX]; // [level of the curve]: the index of the step at its end
    // The curve with the steps of caches alone as its fit. A level's height does not contain
    // translation. `first` and `last` of a level are the points at its height; first > last if
    // there are none.
    struct level_curve curve;
};

// The steps of `curve`, a curve of `run`. All of them count as caches until the run has the probes
// that tell. No cache is larger than `cache_most` bytes. If steps->all is a fit of as many points,
// it is kept.
void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps);

// The latency of a result as the steps have it; NaN if it has none.
double map_steps_ns(const struct map_steps *steps, const struct result *result);

// True if the result is a chain with another stride (MAP_PROBE) that has a latency.
bool map_steps_is_probe(const struct map_steps *steps, const struct result *result);

// The chain `what` of a level, with a region within 2 % of the chain's; NULL if the run has none.
const struct result *map_steps_chain_result(const struct map_steps *steps, const struct run *run,
                                            const char *what, size_t level,
                                            const struct lines_chain *chain);

// Its latency; NaN if the run has none.
double map_steps_chain(const struct map_steps *steps, const struct run *run, const char *what,
                       size_t level, const struct lines_chain *chain);

// What translation adds to each load of a chain over the region, ns.
double map_steps_translation(const struct map_steps *steps, double bytes);

#endif
