// SPDX-License-Identifier: MIT
// Decides whether a device is as fast as it should be. Compares the figures of a check with what
// other cards of the model reach, and gives the verdict with its cause.
//
// A figure is slow if its whole interval is worse than the expectation by more than a bound:
//
//   own card     The expectation comes from runs of this very card (or of a simulated device with
//                this name). The bound is the spread of repeated runs of one card
//                (check_others.h), but at most the bound for few cards. If there is only one run,
//                the error of its value is added.
//   few cards    There are fewer than EXPECTATION_CARDS other cards. The bound is the spread
//                between cards of one model, computed over all figures of the class. A remark of
//                the check says how many cards there are.
//   many cards   The bound is the spread between these cards, but no less than the spread of
//                repeated runs.
//
// For the bandwidth of the L2 the bound is at least EXPECTATION_L2_LEAST. For arithmetic, matrix
// units and the latency of the L1 it is at least RESULTS_CLOCK_STEPS. A link to the host is slow if
// its interval and its best round are below the expectation divided by √2.
//
// All other bounds are Student's t times the standard deviation: one healthy figure in 1/(1 −
// EXPECTATION_CONFIDENCE) is called slow. The bound for few cards is at most the spread that
// `fathom compare` uses (card_spread_of). If the references have too few cards for a class, that
// spread is the bound.
#ifndef ANALYSIS_EXPECTATION_H
#define ANALYSIS_EXPECTATION_H

#include "analysis/check_cases.h"

#define EXPECTATION_CARDS      8
#define EXPECTATION_CONFIDENCE 0.999
// Minimum bound for the bandwidth of the L2, because healthy cards differ in it. One of 13 H200
// read its L2 2.4 % slower than the others, and one of 5 H100 2.6 % slower
// (reference/other-host/*-counters.json.gz). Presumably the cores of these two chips lie in other
// places.
#define EXPECTATION_L2_LEAST 0.035

struct expectation {
    struct run *const *runs;
    size_t run_count;
    enum check_basis basis;
    // Reference runs (reference_checks_run). Only the differences between healthy cards are
    // computed from them. May be NULL.
    struct run *references;
};

// Judges the figures and gives the check its verdict. If the check is already CHECK_BROKEN, the
// verdict stays, and a failed result may only give it a more precise code.
void expectation_judge(struct run *run, const struct expectation *expectation, struct check *check);

#endif
