// SPDX-License-Identifier: MIT
// Gathers what the rounds of a case measured: medians, samples, limits and reasons of the visits
// that count (measure/collect.h decides which ones count).
#ifndef MEASURE_ROUNDS_H
#define MEASURE_ROUNDS_H

#include "math/stats.h"
#include "measure/visit.h"

// The gap between two groups of samples of one round. It is above 0 if all samples of the second
// group are above all samples of the first, and below 0 if they are all below. It is 0 if the
// groups overlap or if a group has no sample.
struct round_contrast {
    double drift; // from the earlier half of the samples to the later half
    double swing; // from the first, third … sample to the second, fourth …
};

struct round_metric {
    double *medians; // median of the metric's samples in each round, in time order
    double *limits;  // physical limits of the metric, from all visits that reported one
    struct round_contrast *contrasts; // of each round, in time order
    size_t rounds, median_room, contrast_room, limit_count, limit_room;
    size_t samples;
    double step; // largest step of the clock that timed the samples, in the metric's unit
    // Half-width of the 95 % interval that the last visit with samples of the metric computed
    // (visit_half); 0 if the visit computed none. With more than one round, this number is ignored.
    double half;
    // True if in at least one round the median is only a lower bound (visit_at_least).
    bool at_least;
    // True if the samples of at least one round depend on the host: the host's clock timed them, or
    // the device waited for the host (visit_by_host).
    bool by_host;
    struct stats_serial within;
};

// One sample of the first metric, and the number of its round, counted from 0.
struct round_answer {
    double value;
    unsigned round;
};

// The reasons of all rounds with the same code and verdict. `text` is that of the first one.
struct round_reason {
    const char *code, *text;
    enum verdict verdict; // VERDICT_OK means that the reason is a remark
    unsigned rounds;      // number of rounds that have the reason, once or several times
    unsigned last;        // number of the last round that has the reason, counted from 1
};

struct rounds {
    struct arena *arena;
    const struct benchmark_info *info;
    unsigned count;
    size_t dropped; // number of samples left out because they are NaN or infinite
    struct round_metric metrics[MEASURE_METRICS_MAX];
    // The finite samples of the first metric, in time order.
    struct round_answer *answers;
    size_t answer_count, answer_room;
    struct round_reason *reasons;
    size_t reason_count, reason_room;
    // One visit that collects from all visits: the first detail of each name, all sensor readings,
    // the first kernel, and the series of the last visit that has any.
    struct measure_visit *kept;
};

// Creates an empty set of rounds; `info` must outlive it.
struct rounds *rounds_create(struct arena *arena, const struct benchmark_info *info);

// Adds a visit as the next round. Its reasons to be repeated become reasons that make the case
// suspect. The visit may be changed or freed afterwards.
void rounds_add(struct rounds *rounds, const struct measure_visit *visit);

// Returns the first metric that has values; NULL if no metric has values. The precision of this
// metric decides when the case ends.
const struct round_metric *rounds_primary(const struct rounds *rounds);

// Returns the goal for the relative half-width of a metric's interval: `goal` (collect_rule.goal).
// If the metric's samples include time of the host, the goal is at least COLLECT_HOST_GOAL.
double rounds_goal(const struct round_metric *metric, double goal);

// Finds the visits that a burst of other work disturbed. Gives each of them a reason to be
// repeated, and returns their number. A sample is slow if it is more than 25 % worse than a typical
// sample of the first metric that has values. A visit was disturbed if one of its samples is slow;
// with more than 16 samples, if over a tenth of them are slow. `rounds` must hold exactly the
// visits that have no reason to be repeated before the call. Returns 0 if more than half of these
// visits were disturbed, if there is no typical sample (fewer than 10 samples, or too different
// samples), or if the benchmark measures a distribution.
size_t rounds_flag_hits(const struct rounds *rounds, struct measure_visit *const *visits,
                        size_t visit_count);

// Adds to a result, whose metrics are from these rounds, the remarks and the reasons that make it
// suspect (see measure/collect.h). `goal` is collect_rule.goal. `step_limits` is the cause if the
// result is less precise: true for the step of the clock (round_metric.step), false for noise.
void rounds_judge(const struct rounds *rounds, double goal, bool step_limits, struct arena *arena,
                  struct result *result);

// Adds the detail "doubtful" to `kept`: how many visits have a reason to be repeated. A visit
// counts under its first such reason.
void rounds_describe_flags(struct measure_visit *const *visits, size_t visit_count,
                           struct measure_visit *kept);

#endif
