// SPDX-License-Identifier: MIT
// Finds what other cards reach in the cases of a check, and how far figures of healthy cards
// differ. There are few cards of each model, so the spread between cards is pooled over all models
// and over the cases of a class of figures, in which the relative spread is much the same. Even
// fewer cards were measured more than once, so the spread of repeated runs is pooled over all
// classes.
#ifndef ANALYSIS_CHECK_OTHERS_H
#define ANALYSIS_CHECK_OTHERS_H

#include "analysis/check_cases.h"

// Classes of a check's figures. Figures of one class are limited by the same part of the machine,
// so they vary alike between cards.
enum check_class {
    CHECK_CLASS_CHIP,   // limited by the core clock: arithmetic, cache bandwidth, L1 latency
    CHECK_CLASS_MATRIX, // rate of matrix units, whose power lowers the core clock
    CHECK_CLASS_MEMORY, // bandwidth of the card's memory
    // Latency of L2 and memory. It differs between cards of one model: different cores and parts of
    // L2 are switched off, and the memory is from several makers.
    CHECK_CLASS_LATENCY,
    CHECK_CLASS_LINK, // bandwidth of links to other cards
    CHECK_CLASS_HOST, // bandwidth of links to the host, which other work of the host may slow
    CHECK_CLASS_COUNT
};
enum check_class check_class_of(enum check_metric metric);

// How much figures differ, as the standard deviation of their logarithms. The deviation is not
// known if `freedom` is 0. The degrees of freedom count cards (for repeated runs: further runs of a
// card), not figures, because the figures of one card are not independent.
struct check_spread {
    double deviation;
    unsigned freedom;
};

// How much the figures of checks differ between cards of one model (`between`, for each class of
// figures), and between runs of one card (`repeats`). Two results are compared only if model, API,
// version of the benchmark, case and method are equal.
struct check_spreads {
    struct check_spread between[CHECK_CLASS_COUNT], repeats;
};
void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads);

// The spread between cards of one model is used only with at least this many degrees of freedom.
// With fewer cards, all of them may be alike by chance, and the spread would be too small. The
// larger minimum (KINDS) is for the classes MEMORY and LATENCY, in which one model has several
// kinds of card, so that even seven cards may be of one kind.
enum {
    CHECK_SPREAD_FREEDOM = 4,
    CHECK_SPREAD_FREEDOM_KINDS = 7
};

// Returns how far the value of a healthy card (or run) may be above or below the median of `count`
// other values, as a factor − 1 (0.03: 3 %). In each of the two directions, only the share 1 −
// confidence of all healthy cards is farther from the median. Returns NaN if the spread has no
// degrees of freedom.
double check_spread_bound(const struct check_spread *spread, size_t count, double confidence);

// ---------------------------------------------------------------- values of other cards

enum {
    CHECK_OTHERS_MAX = 256
};

// The device that is judged, and the runs with which it is compared.
struct check_ask {
    struct run *const *runs;
    size_t run_count;
    const struct run_device *device;
    // clocks, power limit and other state of `device` during its check
    const struct check_state *state;
};

// The values with which a device is compared in one case. There is one value for each run of this
// very card. If there is no such run, there is one for each card of the same model. If there is no
// such card either, and none was left out, there is one for each card of the same architecture, but
// only if the limit of memory or host link bounds the case. That value is the share of its own
// limit that the other card reaches, times the limit of this device.
struct check_others {
    double values[CHECK_OTHERS_MAX], core_hz[CHECK_OTHERS_MAX], memory_hz[CHECK_OTHERS_MAX];
    const char *uuids[CHECK_OTHERS_MAX];
    size_t count;
    bool itself; // true if all values are from runs of this very card
    // True if no card of the model was measured, so that the values are computed from the share of
    // their limit that other models reach.
    bool by_limit;
    double unsure; // relative half-width of the 95 % interval of the value that was added last
    // UUIDs of cards of which a run was not used, because the card then had another power limit or
    // ECC state than the judged device.
    const char *left[CHECK_OTHERS_MAX];
    size_t left_out;
    // Driver of a card that is compared, if its branch (first number of the version) differs from
    // that of the judged device's driver. NULL if no branch differs.
    const char *driver;
};
void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others);

#endif
