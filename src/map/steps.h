// SPDX-License-Identifier: MIT
// Finds the steps of the latency curve of vector loads, and decides which of them are caches. TLBs
// make steps too. Chains with a node every 416 bytes tell the two apart: at the step of a cache,
// such a chain takes as long as a dense chain over fewer lines; at the step of a TLB, as long as a
// dense chain over the same region.
#ifndef MAP_STEPS_H
#define MAP_STEPS_H

#include "analysis/levels.h"
#include "map/clock_states.h"
#include "map/lines.h"
#include "math/staircase.h"

enum map_step_kind {
    STEP_CACHE,
    STEP_TRANSLATION,
    STEP_UNKNOWN // the probes fit both kinds, or were not measured
};

struct map_steps {
    const struct step_shapes *shapes;
    struct staircase all; // all steps; probes of all.steps[i] have level i + 1
    enum map_step_kind kinds[STAIRCASE_STEPS_MAX];
    bool explained; // true: the steps explain the probes, so levels need not be flat
    struct clock_states clocks;
    size_t step[PLATEAUS_MAX]; // step[k]: index of the step at the end of level k
    // The curve. Its fit contains only the steps of caches, and the height of a level does not
    // contain translation. `first` and `last` of a level are the points at its height; first > last
    // if there are none.
    struct level_curve curve;
};

// Finds the steps of `curve`, a curve of `run`. All of them count as caches until the run has the
// probes that tell them apart. No cache is larger than `cache_most` bytes. If steps->all already is
// a fit of as many points as the curve has, it is kept.
void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps);

// ---------------------------------------------------------------- the kinds (map/step_kinds.c)

// A chain with one node in each line.
struct map_step_probe {
    double bytes, stride, ns;
};

// Finds the run's probes with one node in each line, in `arena`. Returns their number.
size_t map_steps_probes(struct arena *arena, const struct map_steps *steps, const struct run *run,
                        struct map_step_probe **probes);

// Fits the steps again, to the curve and to the probes.
void map_steps_refine(struct arena *arena, struct map_steps *steps,
                      const struct map_step_probe *probes, size_t count);

// Sets `kinds` and `explained` by that fit.
void map_steps_judge_kinds(struct map_steps *steps);

// ---------------------------------------------------------------- latencies

// Returns the latency of a result in ns, in the same terms as the curve (clock_states_ns); NaN if
// it has none.
double map_steps_ns(const struct map_steps *steps, const struct result *result);

// True if the interval of the result is wider than 10 % (with two clocks: 50 %) both in ns and in
// cycles. If the core clock changes, one of the two varies anyway.
bool map_steps_doubtful(const struct map_steps *steps, const struct result *result);

// True if the result is a chain with another stride (MAP_PROBE) and has a latency.
bool map_steps_is_probe(const struct map_steps *steps, const struct result *result);

// Returns the result of the chain `what` of a level with the chain's stride and a region within 2 %
// of the chain's; NULL if the run has none.
const struct result *map_steps_chain_result(const struct map_steps *steps, const struct run *run,
                                            const char *what, size_t level,
                                            const struct lines_chain *chain);

// Returns the latency in ns of that result; NaN if the run has none.
double map_steps_chain(const struct map_steps *steps, const struct run *run, const char *what,
                       size_t level, const struct lines_chain *chain);

// Returns what translation adds to each load of a chain over a region of `bytes`, in ns.
double map_steps_translation(const struct map_steps *steps, double bytes);

#endif
