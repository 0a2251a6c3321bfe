// SPDX-License-Identifier: MIT
// What other cards reach in the cases of a check, and how far figures of healthy cards are apart.
// There are few cards of each model, so the spread between cards is pooled over all models and over
// the cases of a class of figures, in which the relative spread is much the same. Even fewer cards
// were measured more than once, so the spread of repeated runs is pooled over all classes.
#ifndef ANALYSIS_CHECK_OTHERS_H
#define ANALYSIS_CHECK_OTHERS_H

#include "analysis/check_cases.h"

// What a figure depends on.
enum check_class {
    CHECK_CLASS_CHIP,   // arithmetic, bandwidth of caches, latency of the L1: the core clock
    CHECK_CLASS_MATRIX, // power lowers the core clock
    CHECK_CLASS_MEMORY, // bandwidth of the card's memory
    // Latency of the L2 and of the memory: cards of one model have other cores and parts of the L2
    // switched off, and memory of several makers.
    CHECK_CLASS_LATENCY,
    CHECK_CLASS_LINK, // links to other cards
    CHECK_CLASS_HOST, // links to the host, whose memory and other work bound them, too
    CHECK_CLASS_COUNT
};
enum check_class check_class_of(enum check_metric metric);

// A standard deviation of logarithms. The degrees of freedom count cards (of repeats: further runs
// of a card) and not figures, because the figures of a card are not independent. With 0 of them,
// the deviation is not known.
struct check_spread {
    double deviation;
    unsigned freedom;
};

// The spreads in the results that checks make. Only results with the same model, API, version of
// the benchmark, case and method are compared.
struct check_spreads {
    struct check_spread between[CHECK_CLASS_COUNT], repeats;
};
void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads);

// A spread with fewer degrees of freedom gives no bound: three cards may all be of one kind. In the
// classes MEMORY and LATENCY, of which there are several kinds of card, even seven may be.
enum {
    CHECK_SPREAD_FREEDOM = 4,
    CHECK_SPREAD_FREEDOM_KINDS = 7
};

// Returns how far a value may be from the median of `count` other values, as a factor − 1. Of 1/(1
// − confidence) healthy cards (or runs), one is further off. NaN without degrees of freedom.
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

// The values that a device is compared with in one case. If runs of this very card exist: one value
// per run of it. Else one value per card of the model. If the model has none, and the limit of the
// memory or of the host link bounds the case: per card of the same architecture, the share of the
// limit that it reaches, times the limit of this device.
struct check_others {
    double values[CHECK_OTHERS_MAX], core_hz[CHECK_OTHERS_MAX], memory_hz[CHECK_OTHERS_MAX];
    const char *uuids[CHECK_OTHERS_MAX];
    size_t count;
    bool itself;        // all values are of this very card
    bool by_limit;      // the values come from shares of the limit, as above
    double unsure;      // half of the interval of the last value, relative to the value
    size_t left_out;    // cards that have another power limit or ECC state
    const char *driver; // driver of a card among the values whose branch differs; NULL: none
};
void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others);

#endif
