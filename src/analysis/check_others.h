// SPDX-License-Identifier: MIT
// What other cards reach in the cases of a check, and how far figures of healthy cards are apart.
// There are few cards of each model, so the spread between cards is pooled over all models and over
// the cases of a class of figures, in which the relative spread is much the same. Fewer cards still
// were measured again: the spread of repeated runs is pooled over all classes.
#ifndef ANALYSIS_CHECK_OTHERS_H
#define ANALYSIS_CHECK_OTHERS_H

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

// Fewer degrees of freedom bound nothing: of three cards, all may be of one kind. Where memory of
// several makers makes several kinds of card, all of seven may be.
enum {
    CHECK_SPREAD_FREEDOM = 4,
    CHECK_SPREAD_FREEDOM_MEMORY = 7
};

// By how much the value may be off the median of `count` others, as a factor − 1, if one healthy
// card (or run) of 1/(1 − confidence) may be further off. NaN without degrees of freedom.
double check_spread_bound(const struct check_spread *spread, size_t count, double confidence);

// ---------------------------------------------------------------- what others reach

enum {
    CHECK_OTHERS_MAX = 256
};

// The runs that a device is compared with.
struct check_ask {
    struct run *const *runs;
    size_t run_count;
    const struct run_device *device;
    const struct check_state *state; // of the device
};

// What they reach in one case, one value a card. Values of this very card, one a run, come before
// those of other cards of the model. If there are none: in cases that the limit of the memory or of
// the link bounds, the share of the limit that other models of the architecture reach, times the
// limit of this device.
struct check_others {
    double values[CHECK_OTHERS_MAX], core_hz[CHECK_OTHERS_MAX], memory_hz[CHECK_OTHERS_MAX];
    const char *uuids[CHECK_OTHERS_MAX];
    size_t count;
    bool itself;        // all values are of this very card
    bool by_limit;      // the values are such shares
    double unsure;      // of one value alone: half of its interval, relative to it
    size_t left_out;    // cards that have another power limit or ECC state
    const char *driver; // that of a card among the values if its branch is another; else NULL
};
void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others);

#endif
