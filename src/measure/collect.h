// SPDX-License-Identifier: MIT
// From visits to a result: keeps what the rounds of a case brought, says when there are enough
// (the stop rule) and gives the verdict. Runs in the parent; knows no device.
//
// Stop rule. Cases are visited in interleaved rounds, at least COLLECT_ROUNDS_MIN. The statistic is
// the median of the round medians, the interval is over rounds (math/stats.h): samples within a
// round may depend on each other as they like, rounds are apart in time. It is looked at only after
// 5, 10, 20, 40 … rounds, and each look costs confidence: look number k (0, 1, …) is made at
// 1 − 0.05 / 2^(k+1), so that by Bonferroni's inequality all looks together err at most 5 % of the
// time however the stopping went. Where rounds or budget end the case, which does not depend on
// what was measured, the last look has all that is left: 1 − 0.05 / 2^k. No interval is narrower
// than one step of the clock to either side. A case stops when the interval of its first metric is
// within the goal, or when only the clock's step keeps it from there.
//
// Proof by simulation: tests/unit/test_coverage.c.
//
// Reasons that a result may carry (docs/METHODOLOGY.md explains them):
//   imprecise     the goal was not reached; suspect only beyond COLLECT_IMPRECISE_FACTOR goals
//   correlated    neighbouring samples, or neighbouring rounds, resemble each other: correlation
//                 above 0.3 and beyond what chance gives so few, and what they share is larger than
//                 the goal. It drifts or is periodic: suspect
//   few           of a distribution (benchmark_info): fewer than 20 samples. Takes the place of
//                 imprecise, which is then a remark at most
//   unsteady      of a distribution, in the place of correlated: a round is of another one than all
//                 others, by more than chance (Kolmogorov and Smirnov's test, 5 % for all rounds
//                 together), and its median is a quarter away from theirs: suspect
//   above-limit   better than the physical limit by more than the interval: suspect
//   not-finite    samples that are no numbers were dropped: suspect
//   and whatever the visits doubted.
#ifndef MEASURE_COLLECT_H
#define MEASURE_COLLECT_H

#include "measure/visit.h"

enum {
    COLLECT_ROUNDS_MIN = 5,
    COLLECT_IMPRECISE_FACTOR = 5
};

struct collect_rule {
    double goal;         // relative half-width to stop at; 0: 0.005
    unsigned rounds_min; // first look; 0: COLLECT_ROUNDS_MIN
    unsigned rounds_max; // 0: rounds_min
    uint64_t budget_ns;  // device time for the case, also ends it below rounds_min; 0 = none
};

struct collect; // one case

// A case without visits; `info` must outlive it.
struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule);

// Takes over (copies) what a visit brought as the next round.
void collect_visit(struct collect *collect, const struct measure_visit *visit);

// A visit that failed: UNSUPPORTED and OUT_OF_MEMORY make the case skipped, all else failed.
// Then the result holds no number, whatever earlier rounds brought.
void collect_failure(struct collect *collect, const struct error *err);

unsigned collect_rounds(const struct collect *collect);

// True when no further visit is wanted: precise enough, at the last round, out of budget, or
// failed.
bool collect_done(const struct collect *collect);

bool collect_failed(const struct collect *collect); // a visit did

// The result so far: medians, intervals, limits, verdict with reasons. Fills result's metrics,
// reasons, verdict, details, sensors (medians over the visits), series (the last visit's) and
// kernel from `arena`; key, device and point are the caller's.
void collect_result(const struct collect *collect, struct arena *arena, struct result *result);

#endif
