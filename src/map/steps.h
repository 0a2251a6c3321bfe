// SPDX-License-Identifier: MIT
// Finds the steps of the latency curve of vector loads, and decides which of them are caches. TLBs
// make steps, too. Chains with a node every 416 bytes show the difference. At the step of a cache,
// such a chain is as slow as the curve's chain over a smaller region, which has as many lines. At
// the step of a TLB, it is as slow as the curve's chain over the same region.
#ifndef MAP_STEPS_H
#define MAP_STEPS_H

#include "analysis/levels.h"
#include "map/lines.h"
#include "math/staircase.h"

// How latencies are corrected for a core clock that changed while a curve was measured. If the
// clock changed often, latencies are computed from core cycles. If the clock had two states, the
// curve keeps only the points at the usual clock. Results at the other clock are then converted to
// the usual clock, by the latencies of the levels at both clocks.
struct clock_states {
    // Duration of a core cycle in ns, if latencies are computed from core cycles; else 0.
    double cycle_ns;
    // The two core clocks in GHz, if the clock had two states. If usual_ghz > 0, the curve has only
    // points that ran at usual_ghz. Results that ran at neither clock are then ignored.
    double usual_ghz, other_ghz;
    double other_heights[STAIRCASE_STEPS_MAX + 1]; // latencies in ns of the levels at other_ghz
};

enum map_step_kind {
    STEP_CACHE,
    STEP_TRANSLATION,
    // the probes do not show whether the step is that of a cache or of a TLB
    STEP_UNKNOWN
};

// A measured chain of kind MAP_PROBE, and its latency in ns (map_steps_ns).
struct map_step_probe {
    const struct result *result;
    struct lines_chain chain;
    double ns;
};

struct map_steps {
    const struct step_shapes *shapes;
    // All steps of the curve. Probes for all.steps[i] are cases with the parameter level = i + 1.
    struct staircase all;
    enum map_step_kind kinds[STAIRCASE_STEPS_MAX];
    // True if the steps of the curve explain the latencies of the probes well. A level then counts
    // even if no part of the curve is flat there, unless its ends are near to each other.
    bool explained;
    struct clock_states clocks;
    // all probes of the curve's device that have a latency, in the order of the run
    struct map_step_probe *probes;
    size_t probe_count;
    size_t step[PLATEAUS_MAX]; // step[k]: index in `all` of the step at the end of level k
    // The latency curve. Its fit leaves out the steps that are known to be those of TLBs, and the
    // heights of its levels contain no address translation. `first` and `last` of a level are the
    // first and last point at its height. If there is no such point, first > last.
    struct level_curve curve;
};

// Finds the steps of `curve`, a latency curve of `run`. Each step counts as a cache until the run
// has the probes that distinguish caches from TLBs. But a step far beyond `cache_most`, the size in
// bytes of the largest possible cache, is a TLB's. On entry, steps->all must be zero or an earlier
// fit, which is kept if it has all points of the curve and all probes.
void map_steps_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                  double cache_most, struct map_steps *steps);

// ---------------------------------------------------------------- the kinds (map/step_kinds.c)

// Stores the probes of the run in steps->probes, which lives in `arena`. Returns how many of them
// have one node in each line and several nodes in each page. map_steps_refine uses only the probes
// of this kind whose region the curve reaches.
size_t map_steps_find_probes(struct arena *arena, struct map_steps *steps, const struct run *run);

// Chooses for each step the kind (cache or TLB) that explains the probes best. Then fits the steps
// again, to the curve and these probes together. Uses only probes with one node in each line.
void map_steps_refine(struct arena *arena, struct map_steps *steps);

// Returns the probes with one node in each line that show the height of level k alone: by the fit,
// other levels and address translation change their latency by less than 1 %. Returns an empty
// curve unless the lines of level k have 256 bytes by the fit. (Two nodes of the curve's chain
// share such a line, so the curve rises slowly and may not show the level alone.)
struct level_curve map_steps_single(struct arena *arena, const struct map_steps *steps, size_t k);

// Sets steps->explained and steps->kinds. Both depend on how well the fitted steps explain the
// probes.
void map_steps_judge_kinds(struct map_steps *steps);

// Returns the noise of the curve as a share of its latency: twice the spread of the first level's
// points. The spread is the difference between the 90th and the 10th percentile of their latencies,
// divided by the level's height.
double map_steps_noise(struct arena *arena, const struct map_steps *steps);

// Some loads of a chain may hit other levels than level k. The chain still shows level k alone if
// these loads change its latency by less than this share of the latency of level k. (A limit for
// the number of such loads would not be enough. If 3 % of the loads take four times as long, the
// latency grows by 9 %.)
#define MAP_STEPS_OTHERS 0.01

// Maximum spread of the points of a flat level, as a share of its latency, in addition to noise.
// (In the near half of an H200's L2 they differ by up to 0.036, because its end is near.)
#define MAP_STEPS_UNEVEN 0.05

// True if level k is even: the spread of its points is less than `most` plus the noise
// (map_steps_noise). The spread is the difference between the 90th and the 10th percentile, divided
// by the height. It uses only points between the rises at both ends of the level, without what
// translation adds.
bool map_steps_is_even(struct arena *arena, const struct map_steps *steps, size_t k, double most);

// ---------------------------------------------------------------- latencies

// Returns the latency of a result in ns, as it would be at the usual core clock. The latencies of
// the curve are corrected in the same way (clock_states_ns). Returns NaN if the result has no
// latency, if other work disturbed it, or if it ran at neither of the two core clocks of the curve.
double map_steps_ns(const struct map_steps *steps, const struct result *result);

// True if the 95 % intervals of the result's latency in ns and in cycles are both missing or too
// wide: wider than 10 % of the latency, or than 50 % if the core clock had two states. One wide
// interval does not count, because a changing core clock always makes one of the two wide.
bool map_steps_noisy(const struct map_steps *steps, const struct result *result);

// Returns the result of a chain of kind `what` and level number `level`. The chain has the stride
// of `chain`, and its region differs from that of `chain` by less than 2 %. NULL if the run has
// none.
const struct result *map_steps_chain_result(const struct map_steps *steps, const struct run *run,
                                            const char *what, size_t level,
                                            const struct lines_chain *chain);

// Returns the latency in ns of the result that map_steps_chain_result finds; NaN if there is none.
double map_steps_chain(const struct map_steps *steps, const struct run *run, const char *what,
                       size_t level, const struct lines_chain *chain);

// Returns the mean time in ns that address translation adds to each load of a chain over `bytes`.
double map_steps_translation(const struct map_steps *steps, double bytes);

// True if address translation may add to the latency of a chain over `bytes`: this region reaches a
// step of the latency curve that may be a TLB's (STEP_UNKNOWN). With `any`, a step that is
// certainly a TLB's counts, too.
bool map_steps_may_be_translated(const struct map_steps *steps, double bytes, bool any);

// ---------------------------------------------------------------- core clocks (map/clock_states.c)

// If the core clock changed too often for latencies in ns, computes the curve's latencies from core
// cycles, sets states->cycle_ns and returns true. Otherwise returns false. The clock changed too
// often if the 95 % intervals in cycles are less than half as wide as those in ns (medians over the
// curve).
bool clock_states_choose_cycles(struct arena *arena, struct level_curve *curve,
                                struct clock_states *states);

// If 30 % to 90 % of the curve's points ran at one core clock, keeps these points in the curve and
// moves all other points to `others`.
void clock_states_keep_usual(struct arena *arena, struct level_curve *curve,
                             struct clock_states *states, struct level_curve *others);

// Finds the latency of each level of the fit `all` at the second core clock: the clock at which
// most points of `others` ran. Sets states->other_ghz to this clock only if each level has points
// at this clock, and if the latencies rise from level to level.
void clock_states_find_heights(struct arena *arena, const struct step_shapes *shapes,
                               const struct staircase *all, const struct level_curve *others,
                               struct clock_states *states);

// Returns the latency of a result in ns, as it would be at the usual core clock; NaN if the result
// ran at neither of the two clocks. If the clock had only one state, returns the latency as it was
// measured. If states->cycle_ns > 0, returns the cycles times cycle_ns.
double clock_states_ns(const struct clock_states *states, const struct staircase *all,
                       const struct result *result);

#endif
