// SPDX-License-Identifier: MIT
// What other cards reach in the cases of a check, and how far figures of healthy cards are apart.
// There are few cards of each model, so the spread between cards is pooled over all models and over
// the cases of a class of figures, in which the relative spread is much the same. Even fewer cards
// were measured more than once, so the spread of repeated runs is pooled over all classes.
#ifndef ANALYSIS_CHECK_OTHERS_H
#define ANALYSIS_CHECK_OTHERS_H

#include "analysis/check_cases.h"

// Classes of figures, by what they depend on.
enum check_class {
    CHECK_CLASS_CHIP,   // bounded by the core clock: arithmetic, cache bandwidth, L1 latency
    CHECK_CLASS_MATRIX, // matrix units, for which power lowers the core clock
    CHECK_CLASS_MEMORY, // bandwidth of the card's memory
    // Latency of L2 and memory. It differs between cards of one model: different cores and parts of
    // L2 are switched off, and the memory is from several makers.
    CHECK_CLASS_LATENCY,
    CHECK_CLASS_LINK, // bandwidth of links to other cards
    CHECK_CLASS_HOST, // bandwidth of links to the host, which other work of the host may slow
    CHECK_CLASS_COUNT
};
enum check_class check_class_of(enum check_metric metric);

// A standard deviation of logarithms. It is not known if `freedom` is 0. The degrees of freedom
// count cards (for repeated runs: further runs of a card), not figures, because the figures of one
// card are not independent.
struct check_spread {
    double deviation;
    unsigned freedom;
};

// How far the results of checks differ: `between` cards, by class of metric, and `repeats`, between
// runs of one card. Two results are compared only if model, API, version of the benchmark, case and
// method are equal.
struct check_spreads {
    struct check_spread between[CHECK_CLASS_COUNT], repeats;
};
void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads);

// A spread needs this many degrees of freedom to be used: three cards may all be of one kind. In
// the classes MEMORY and LATENCY one model has several kinds of card, so even seven cards may be
// of one kind.
enum {
    CHECK_SPREAD_FREEDOM = 4,
    CHECK_SPREAD_FREEDOM_KINDS = 7
};

// Returns the bound of a spread: how far a value may be from the median of `count` other values, as
// a factor − 1. A share of 1 − confidence of healthy cards (or runs) is further off. NaN without
// degrees of freedom.
double check_spread_bound(const struct check_spread *spread, size_t count, double confidence);

// ---------------------------------------------------------------- values of other cards

enum {
    CHECK_OTHERS_MAX = 256
};

// A device, and the runs with which it is compared.
struct check_ask {
    struct run *const *runs;
    size_t run_count;
    const struct run_device *device;
    const struct check_state *state; // state of `device`
};

// The values with which a device is compared in one case: one for each run of this very card. If
// there are none, one for each card of the same model. If there are none of these either, and the
// limit of memory or host link bounds the case: one for each card of the same architecture, its
// share of its own limit times the limit of this device.
struct check_others {
    double values[CHECK_OTHERS_MAX], core_hz[CHECK_OTHERS_MAX], memory_hz[CHECK_OTHERS_MAX];
    const char *uuids[CHECK_OTHERS_MAX];
    size_t count;
    bool itself;     // true: all values are from runs of this very card
    bool by_limit;   // true: the values were computed from shares of a limit
    double unsure;   // relative half-width of the interval of the last value
    size_t left_out; // results not used, because their card had another power limit or ECC state
    // Driver of one of the cards, if its branch differs from the device's; else NULL.
    const char *driver;
};
void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others);

#endif
