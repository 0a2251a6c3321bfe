// SPDX-License-Identifier: MIT
// Is a device as fast as it should be? The figures of a check, what other cards of the model
// reach, and the verdict with its cause.
//
// A figure is slow if its whole interval is worse than the expectation by more than a bound:
//
//   own card     the expectation holds runs of this very card (or of a simulated device of this
//                name): the spread of repeated runs of one card (check_others.h), and how well the
//                expected value is known
//   few cards    of fewer than EXPECTATION_CARDS cards: the spread between cards, pooled over the
//                class of the figure; the check remarks how many cards there are
//   many cards   the spread between these cards, but no less than that of repeated runs
//
// Each bound is Student's t times the standard deviation: a healthy card is called slow in one
// figure of 1/(1 − EXPECTATION_CONFIDENCE). A class of which the references have too few cards has
// the bound of `fathom compare` (card_spread_of).
#ifndef ANALYSIS_EXPECTATION_H
#define ANALYSIS_EXPECTATION_H

#include "analysis/check_cases.h"

#define EXPECTATION_CARDS      8
#define EXPECTATION_CONFIDENCE 0.999

struct expectation {
    struct run *const *runs;
    size_t run_count;
    enum check_basis basis;
    struct run *references; // those of expectation_builtin, for the spreads; NULL: none
};

// The reference results that are in the program, reference/checks.json; release it with
// run_destroy.
struct run *expectation_builtin(void);

// Judges the figures and gives the check its verdict. Verdict and code of a check that is BROKEN
// already stay, unless the results say more.
void expectation_judge(struct run *run, const struct expectation *expectation, struct check *check);

// The worst verdict: broken, slow, unknown, healthy. CHECK_UNKNOWN for no check.
enum check_verdict expectation_worst(const struct check *checks, size_t count);

#endif
