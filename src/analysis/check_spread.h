// SPDX-License-Identifier: MIT
// How far the figures of healthy cards are apart, and those of one card that is measured again. The
// first is pooled over the cases of a class of figures and over all models, because there are few
// cards of each model: within a class the relative spread is much the same. The second is pooled
// over all classes, because fewer cards still were measured again.
#ifndef ANALYSIS_CHECK_SPREAD_H
#define ANALYSIS_CHECK_SPREAD_H

#include "analysis/check_cases.h"

// What a figure depends on.
enum check_class {
    CHECK_CLASS_CHIP,           // arithmetic and caches: the core clock
    CHECK_CLASS_MATRIX,         // power lowers the core clock
    CHECK_CLASS_MEMORY,         // bandwidth of the card's memory
    CHECK_CLASS_MEMORY_LATENCY, // cards of one model have memory of several makers
    CHECK_CLASS_LINK,           // links to the host and to other cards
    CHECK_CLASS_COUNT
};
enum check_class check_class_of(enum check_metric metric);

// A standard deviation of logarithms. The degrees of freedom count cards (of repeats: further runs
// of a card) and not figures, because the figures of a card are not independent. 0: not known.
struct check_spread {
    double deviation;
    unsigned freedom;
};

// The spreads in the results that checks make. Only results that are comparable are compared: of
// the same model, API, version of the benchmark, case and method.
struct check_spreads {
    struct check_spread between[CHECK_CLASS_COUNT], repeats;
};
void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads);

enum {
    CHECK_SPREAD_FREEDOM = 4 // fewer cards alone bound nothing: of three, all may be of one kind
};

// By how much the value may be off the median of `count` others, as a factor − 1, if one healthy
// card (or run) of 1/(1 − confidence) may be further off. NaN without degrees of freedom.
double check_spread_bound(const struct check_spread *spread, size_t count, double confidence);

#endif
