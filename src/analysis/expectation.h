// SPDX-License-Identifier: MIT
// Is a device as fast as it should be? The figures of a check, what other cards of the model
// reach, and the verdict with its cause.
//
// A figure is slow if its whole interval is worse than the expectation by more than a bound:
//
//   own card     the expectation holds a run of this very card (or of a simulated device of this
//                name): the threshold of `fathom compare`, EXPECTATION_REPEATS
//   few cards    of fewer than EXPECTATION_CARDS cards: by how much two healthy cards of one model
//                differ at most (card_spread_of); the check remarks how many cards there are
//   many cards   Student's t times the standard deviation between these cards; a healthy card is
//                called slow in one figure of 1/(1 − EXPECTATION_CONFIDENCE)
#ifndef ANALYSIS_EXPECTATION_H
#define ANALYSIS_EXPECTATION_H

#include "analysis/check_cases.h"

#define EXPECTATION_REPEATS    0.02
#define EXPECTATION_CARDS      8
#define EXPECTATION_CONFIDENCE 0.999

struct expectation {
    struct run *const *runs;
    size_t run_count;
    enum check_basis basis;
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
