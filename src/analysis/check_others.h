// SPDX-License-Identifier: MIT
// Finds what other cards reach in the cases of a check, and how far figures of healthy cards
// differ. There are few cards of each model. So the spread between cards is computed over all
// models together, for each class of figures. (Within a class the relative spread is much the
// same.) Even fewer cards were measured more than once. So the spread of repeated runs is computed
// over all classes together.
#ifndef ANALYSIS_CHECK_OTHERS_H
#define ANALYSIS_CHECK_OTHERS_H

#include "analysis/check_cases.h"

// Classes of a check's figures. Figures of one class are limited by the same part of the machine,
// so they vary alike between cards.
enum check_class {
    CHECK_CLASS_CHIP, // limited by the core clock: arithmetic, cache bandwidth, L1 latency
    // rate of matrix units, which need so much power that the clock falls
    CHECK_CLASS_MATRIX,
    CHECK_CLASS_MEMORY, // bandwidth of the card's memory
    // Latency of L2 and memory. It differs between cards of one model: different cores and parts of
    // L2 are switched off, and the memory is from several makers.
    CHECK_CLASS_LATENCY,
    CHECK_CLASS_LINK, // bandwidth of links to other cards
    CHECK_CLASS_HOST, // bandwidth of links to the host, which other work of the host may slow
    CHECK_CLASS_COUNT
};
enum check_class check_class_of(enum check_metric metric);

// How much figures differ from card to card, or from run to run. `deviation` is the standard
// deviation of their logarithms; it is unknown if `freedom` is 0. `freedom` is the number of cards
// minus the number of models, or the number of runs after the first run of each card. (Figures of
// one card are not independent, so only cards count.)
struct check_spread {
    double deviation;
    unsigned freedom;
};

// How much the figures of checks differ. `between` is the spread between cards of one model, for
// each class of figures. `repeats` is the spread between runs of one card. Two results are compared
// only if model, API, version of the benchmark, case and method are equal.
struct check_spreads {
    struct check_spread between[CHECK_CLASS_COUNT], repeats;
};
void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads);

// If the spread between cards of one model has fewer degrees of freedom than this, card_spread_of
// is used instead, because so few cards may be alike by chance. CHECK_SPREAD_FREEDOM_KINDS is for
// the classes MEMORY and LATENCY, in which cards of one model are of several kinds.
enum {
    CHECK_SPREAD_FREEDOM = 4,
    CHECK_SPREAD_FREEDOM_KINDS = 7
};

// Returns how far a healthy value may be from the median of `count` other values, as a factor − 1
// (0.03: 3 %). A healthy value exceeds this bound upwards with the probability 1 − `confidence`,
// and downwards with the same probability. Returns NaN if the spread has no degrees of freedom.
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

// The values with which a device is compared in one case, from the first of these sources that has
// values. A source has only runs with the same API.
//
//   1. all runs of this very card
//   2. the last run of each other card of the same model
//   3. the last run of each card of the same architecture: the share of its limit that the card
//      reaches, times the limit of this device
//
// Sources 1 and 2 leave out runs with another power limit or ECC state. Source 3 is used only if
// they left out no run, and if the bandwidth of the memory or of the host link limits the case.
struct check_others {
    double values[CHECK_OTHERS_MAX], core_hz[CHECK_OTHERS_MAX], memory_hz[CHECK_OTHERS_MAX];
    const char *uuids[CHECK_OTHERS_MAX], *drivers[CHECK_OTHERS_MAX];
    size_t count;
    bool itself; // true if all values are from runs of this very card
    // true if the values are from cards of other models, because no run of this model is comparable
    bool by_limit;
    double unsure; // relative half-width of the 95 % interval of the last added value
    // UUIDs of cards of the model that are not compared, because they had another power limit or
    // ECC state than the judged device has. "" for a card without a UUID.
    const char *left[CHECK_OTHERS_MAX];
    size_t left_out;
    // Driver of a compared card whose driver branch differs from the branch of the judged device.
    // (The branch is the first number of the version.) NULL if there is no such card.
    const char *driver;
};
void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others);

#endif
