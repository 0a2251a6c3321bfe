// SPDX-License-Identifier: MIT
// Gathers what the rounds of a case measured: medians, samples, limits and reasons of the visits
// that count (measure/collect.h decides which ones count).
#ifndef MEASURE_ROUNDS_H
#define MEASURE_ROUNDS_H

#include "math/stats.h"
#include "measure/visit.h"

struct round_metric {
    double *medians; // the medians of the rounds, in time order
    double *limits;  // all limits that visits reported
    size_t rounds, median_room, limit_count, limit_room;
    size_t samples;
    double step;   // the largest step that a visit reported
    double half;   // visit_half of the last visit; used if there is only one round
    bool at_least; // the median of any round is a lower bound
    bool by_host;  // visit_by_host in any round
    struct stats_serial within;
};

// A sample of a distribution.
struct round_answer {
    double value;
    unsigned round;
};

// The first reason with this code and verdict, and the number of rounds that have such a reason.
struct round_reason {
    const char *code, *text;
    enum verdict verdict; // VERDICT_OK: the reason is a remark
    unsigned rounds;
};

struct rounds {
    struct arena *arena;
    const struct benchmark_info *info;
    unsigned count;
    size_t dropped; // samples that are not finite numbers
    struct round_metric metrics[MEASURE_METRICS_MAX];
    struct round_answer *answers; // finite samples of the first metric, if it is a distribution
    size_t answer_count, answer_room;
    struct round_reason *reasons;
    size_t reason_count, reason_room;
    // Merged visits: the first detail of each name, all sensor readings, the series of the last
    // visit that has any, the first kernel. No metrics, no reasons.
    struct measure_visit *kept;
};

// Creates an empty set of rounds; `info` must outlive it.
struct rounds *rounds_create(struct arena *arena, const struct benchmark_info *info);

// Adds a visit as the next round. Reasons to take it again count as reasons that make the case
// suspect. The visit may be changed or freed afterwards.
void rounds_add(struct rounds *rounds, const struct measure_visit *visit);

// Returns the first metric that has values, which decides when to stop. NULL if no metric has
// values.
const struct round_metric *rounds_primary(const struct rounds *rounds);

// The goal of a metric, where `goal` is collect_rule.goal: never below COLLECT_HOST_GOAL if the
// host has its part in the samples.
double rounds_goal(const struct round_metric *metric, double goal);

// Finds the visits without doubts that were hit by a burst of other work, as measure/collect.h
// defines it, and gives them a reason to be taken again. `rounds` must hold the visits without
// doubts. Returns the number of visits that got a reason: 0 if more than half were hit.
size_t rounds_flag_hits(const struct rounds *rounds, struct measure_visit *const *visits,
                        size_t visit_count);

// Judges a result whose metrics are filled from these rounds, as measure/collect.h describes: flags
// it with the reasons that make it suspect, and adds remarks. `goal` is collect_rule.goal;
// `step_limits` says why a result is less precise than its goal: the clock's step (true) or noise
// (false).
void rounds_judge(const struct rounds *rounds, double goal, bool step_limits, struct arena *arena,
                  struct result *result);

// Adds the detail "doubtful" to `kept`: how many of the visits have reasons to be taken again, by
// the first reason of each.
void rounds_describe_doubts(struct measure_visit *const *visits, size_t visit_count,
                            struct measure_visit *kept);

#endif
