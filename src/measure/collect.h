// SPDX-License-Identifier: MIT
// From visits to a result: gathers what the rounds of a case measured, decides when there are
// enough rounds (the stop rule), and gives the verdict. It runs in the parent process, without a
// device.
//
// Stop rule. Cases are visited in interleaved rounds, by default at least COLLECT_ROUNDS_MIN. The
// statistic is the median of the round medians, and its interval is computed from the rounds
// (math/stats.h): samples within a round may depend on each other, but rounds are apart in time.
// The interval is looked at only after rounds_min rounds and after 2, 4, 8 … times as many (5, 10,
// 20, 40 …; 3 and 6 in `quick`), and each look costs confidence: look number k (0, 1, …) has the
// confidence 1 − 0.05 / 2^(k+1), so by Bonferroni's inequality all looks together err at most 5 %
// of the time. If the number of rounds or the budget ends the case, which does not depend on the
// measured values, the last look uses all the error that is left: 1 − 0.05 / 2^k. Each interval
// extends at least one step of the clock to either side of the median. A case stops when half of
// the interval of its first metric is within the goal or within one step of the clock.
//
// Proof by simulation: tests/unit/test_coverage.c.
//
// Retakes. A visit that has reasons to be taken again (visit_retake, collect_doubt) is no round:
// the case goes on until it has rounds enough without it. Such visits count after all, and their
// reasons make the case suspect, if the case ends with fewer than rounds_min other rounds: because
// its budget is spent, its caller makes no more visits, or there are at least 2 × rounds_min more
// doubtful visits than others. The detail "doubtful" says how many there were, by their first
// reason.
//
// Samples can also show other work (collect_rule.alone): a burst of it slows some samples of a
// visit down and leaves the others. The median of the better 60 % of all samples of the first
// metric is the typical sample, if these 60 % agree within 5 %. A visit is hit if one of its
// samples is more than 1.25 times as slow as the typical one; of more than 16 samples, more than a
// tenth must be. If at most half of the visits are hit, those are taken again (`shared-device`).
// Distributions are not judged in this way.
//
// Reasons that a result may carry (docs/METHODOLOGY.md explains them):
//   imprecise     the goal was not reached; suspect only if half of the first metric's interval is
//                 above COLLECT_IMPRECISE_FACTOR × goal (with visit_by_host: COLLECT_HOST_MOST),
//                 and never for a distribution; a remark for each other metric beyond that
//   low-clock     a visit's core clock was lower than in another visit of the case
//                 (measure/pace.h): a reason to take it again
//   correlated    the value drifts or is periodic, within rounds or over the run: neighbouring
//                 values correlate above 0.3 and by more than chance, and their common part is
//                 larger than the goal: suspect
//   few           a distribution (benchmark_info) has fewer than 20 samples: suspect
//   unsteady      for distributions, instead of `correlated`: one round differs from all others by
//                 more than chance (Kolmogorov and Smirnov's test, 5 % for all rounds together),
//                 and its median is more than a quarter away from theirs: suspect
//   censored      in any round the median of a metric is a lower bound (visit_at_least), and so is
//                 the result's: a remark
//   above-limit   the whole interval is above COLLECT_SHARE_MOST of the physical limit
//                 (metric_share): suspect
//   not-finite    samples that are not finite numbers were dropped: suspect
//   each flag of a visit (visit_flag): suspect; so is each reason of a retake that counts after all
//   each remark of a visit (visit_remark): a remark
#ifndef MEASURE_COLLECT_H
#define MEASURE_COLLECT_H

#include "measure/visit.h"

// Limits are figures of data sheets: clocks and rates are rounded there.
#define COLLECT_SHARE_MOST 1.02

// For metrics in whose samples the host has a part (visit_by_host): the goal for half of the
// interval, and the largest half that is not suspect, both relative to the median. Such medians
// differ by so much between healthy machines with equal cards (docs/evidence/results.md): a
// narrower interval would say nothing about the next run.
#define COLLECT_HOST_GOAL 0.05
#define COLLECT_HOST_MOST 0.1

enum {
    COLLECT_ROUNDS_MIN = 5,
    COLLECT_IMPRECISE_FACTOR = 5
};

struct collect_rule {
    double goal;         // wanted half of the interval, divided by the median; 0: 0.005
    unsigned rounds_min; // rounds before the first look; 0: COLLECT_ROUNDS_MIN
    unsigned rounds_max; // 0: rounds_min
    uint64_t budget_ns;  // device time that ends the case, even below rounds_min; 0: no limit
    // True: all samples should be alike; a visit with samples that are far slower is taken again.
    bool alone;
    bool any_clock; // visits may differ in their core clock
};

struct collect; // the rounds of one case

// Creates a case without visits; `info` must outlive it.
struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule);

// Adds a copy of the visit. It becomes the next round, unless it has a reason to be taken again.
void collect_visit(struct collect *collect, const struct measure_visit *visit);

// Gives all visits from number `first` on (0: the first visit) a reason to be taken again, because
// something that may have changed them was found later. A case that was done may then need further
// visits.
void collect_doubt(struct collect *collect, unsigned first, const struct reason *reason);

// Adds a remark to all visits from number `first` on.
void collect_remark(struct collect *collect, unsigned first, const struct reason *reason);

// Ends the case after a failed visit: UNSUPPORTED and OUT_OF_MEMORY make it skipped, all other
// errors failed. Its result holds no metric, even if earlier rounds were measured.
void collect_failure(struct collect *collect, const struct error *err);

// Return the number of rounds, and the number of all visits, including those that are not rounds.
unsigned collect_rounds(const struct collect *collect);
unsigned collect_visits(const struct collect *collect);

// True if the case needs no further visit: it is precise enough, had its last round, has spent its
// budget, or failed.
bool collect_done(const struct collect *collect);

// True if half of the interval of the first metric is within the goal or within one step of the
// clock, or if no metric has values.
bool collect_precise(const struct collect *collect);

// True after collect_failure.
bool collect_failed(const struct collect *collect);

// Makes the result so far: medians, intervals, limits, and the verdict with its reasons. Sets
// result's metrics, reasons, verdict, details, sensors (medians over the visits), series (the last
// visit's) and kernel, all in `arena`. The caller sets key, device and case.
void collect_result(const struct collect *collect, struct arena *arena, struct result *result);

#endif
