// SPDX-License-Identifier: MIT
// Collects what the rounds of a case measured, decides when there are enough rounds (the stop
// rule), and gives the verdict. This code runs in the parent process, without a device.
//
// Statistic. Cases are visited in interleaved rounds, by default at least COLLECT_ROUNDS_MIN. The
// result of a case is the median of the round medians. Its interval is computed from the rounds
// (math/stats.h): samples within a round may depend on each other, but rounds are apart in time.
//
// Stop rule. After rounds_min rounds, and after 2, 4, 8 … times as many, the rule looks at the
// interval of the first metric (5, 10, 20, 40 … rounds; 3 and 6 in `quick`). The case stops if the
// half-width of the interval is within the goal or within one step of the clock.
//
// Confidence. Each look may be wrong by chance, so the looks share an error of 5 %. Look number k
// (0, 1, …) gets the error 0.05 / 2^(k+1), so its confidence is 1 − 0.05 / 2^(k+1). All looks
// together are then wrong at most 5 % of the time (Bonferroni's inequality). A case also ends after
// its last round, when its budget of time is spent, or when too many visits had to be repeated.
// Such an end does not depend on the width of the interval. So the last interval gets all the error
// that is left: its confidence is 1 − 0.05 / 2^k, where k is the number of the look after the last
// round; if there is no look after that round, k is the number of the next look.
// tests/unit/test_coverage.c checks the confidence with simulations.
//
// Each known interval of a result extends at least one step of the clock to either side of the
// median.
#ifndef MEASURE_COLLECT_H
#define MEASURE_COLLECT_H

#include "measure/visit.h"

// A result is suspect if its whole interval lies above its physical limit times this factor, or,
// for a time, below its limit divided by it. The factor is above 1, because data sheets round
// clocks and rates.
#define COLLECT_SHARE_MOST 1.02

// Limits for the half-width of an interval, relative to the median, of metrics whose samples
// include time of the host (visit_by_host). COLLECT_HOST_GOAL is the smallest goal. Above
// COLLECT_HOST_MOST, or above the goal if it is larger, the first metric is suspect and other
// metrics get a remark. Medians of healthy machines with equal cards differ by about these shares
// (docs/evidence/results.md), so a narrower interval would say nothing about the next run.
#define COLLECT_HOST_GOAL 0.05
#define COLLECT_HOST_MOST 0.1

// Relative half-width up to which the first metric's precision gets no remark. Rates have a
// narrower goal, so that two runs agree within this share.
#define COLLECT_PRECISE_ENOUGH 0.01

enum {
    COLLECT_ROUNDS_MIN = 5,
    COLLECT_IMPRECISE_FACTOR = 5
};

struct collect_rule {
    // Goal for the relative half-width of the first metric's interval; 0 means 0.005.
    double goal;
    // Number of rounds after which the precision is first checked; 0 means COLLECT_ROUNDS_MIN.
    unsigned rounds_min;
    unsigned rounds_max; // maximum number of rounds; 0 means rounds_min
    uint64_t budget_ns;  // device time in ns that the case may use; 0 means no limit
    // True if all samples of the case should be alike: a visit with far slower samples is then
    // repeated.
    bool alone;
    bool any_clock; // true if visits of the case may have different core clocks
};

struct collect; // all visits of one case

// Creates a case without visits; `info` must outlive it.
struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule);

// Adds a copy of the visit to the case. A visit with a reason to be repeated does not count as a
// round. But once too many visits have such a reason, and too few visits are without one, all
// visits count.
void collect_visit(struct collect *collect, const struct measure_visit *visit);

// Gives the visits from number `first` on (0: all) a reason to be repeated, for example other work
// found after them. A case that was done may then need more visits.
void collect_flag(struct collect *collect, unsigned first, const struct reason *reason);

// Adds a remark to each visit of the case from number `first` on.
void collect_remark(struct collect *collect, unsigned first, const struct reason *reason);

// Ends the case because a visit failed: "skipped" with the errors UNSUPPORTED and OUT_OF_MEMORY,
// else "failed". The result then holds no metric, even if earlier visits succeeded.
void collect_failure(struct collect *collect, const struct error *err);

// collect_rounds returns the number of rounds. collect_visits returns the number of all visits,
// also of those with a reason to be repeated.
unsigned collect_rounds(const struct collect *collect);
unsigned collect_visits(const struct collect *collect);

// Returns true if a metric has no value yet in the visits that count.
bool collect_lacks_metric(const struct collect *collect);

// Returns the name of a metric that depends on the host's processors (metric_info.by_host) and has
// a value in a visit that counts; NULL if there is none.
const char *collect_by_host(const struct collect *collect);

// Returns true if the case needs no further visit: its first metric is precise enough, the rounds
// or the device time are used up, too many visits had to be repeated, or a visit failed.
bool collect_done(const struct collect *collect);

// Returns true if the half-width of the first metric's interval is within the goal,
// COLLECT_PRECISE_ENOUGH or one step of the clock. Also returns true if no metric has values.
bool collect_precise(const struct collect *collect);

// Returns true if collect_failure has ended the case.
bool collect_failed(const struct collect *collect);

// Computes in `arena` the case's result from its visits so far; the caller sets key, device and
// case. A sensor's value is its median over the visits. Series are from the last visit that has
// any.
void collect_result(const struct collect *collect, struct arena *arena, struct result *result);

#endif
