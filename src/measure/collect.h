// SPDX-License-Identifier: MIT
// From visits to a result: keeps the samples of a case by round, says when there are enough (the
// stop rule) and gives the verdict. Runs in the parent; knows no device.
//
// The rule: cases are visited in at least COLLECT_ROUNDS_MIN interleaved rounds. The statistic is
// the median of the round medians; the interval is over rounds; it is looked at only after 5, 10,
// 20, 40 … rounds (n = 16, 32, 64 … samples at least) and is never narrower than the clock's step.
// A look costs confidence, so the interval at each look is made for more than 95 %: see
// docs/METHODOLOGY.md and the coverage proof in tests/unit/test_collect.c.
#ifndef MEASURE_COLLECT_H
#define MEASURE_COLLECT_H

#include "measure/visit.h"

struct collect_rule {
    double goal;         // relative half-width to stop at: 0.005 (0.01 for latency)
    unsigned rounds_min; // 5
    unsigned rounds_max; // by preset
    uint64_t budget_ns;  // device time for the case; 0 = none
};

struct collect; // one case

struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule);

// Takes over (copies) what a visit brought as the next round.
void collect_visit(struct collect *collect, const struct measure_visit *visit);

// A visit that failed: UNSUPPORTED and OUT_OF_MEMORY make the case skipped, all else failed.
void collect_failure(struct collect *collect, const struct error *err);

unsigned collect_rounds(const struct collect *collect);

// True when no further visit is wanted: precise enough, out of budget, or failed.
bool collect_done(const struct collect *collect);

// The result: medians, intervals, limits, verdict with reasons ("imprecise", "correlated",
// "above-limit", what the visits doubted). Fills result's metrics, reasons, verdict, details,
// sensors, series, kernel from `arena`; key, device and point are the caller's.
void collect_result(const struct collect *collect, struct arena *arena, struct result *result);

#endif
