// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // Spread between 14 cards of 2 models, in 312 figures.
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.087},
    // Spread between 14 cards of 2 models, in 312 figures.
    {"bandwidth", UNIT_BYTE_PER_S, 0.086},
    // Spread between 14 cards of 2 models, in 1161 figures.
    {"latency", UNIT_CYCLE, 0.090},
    // Spread between 14 cards of 2 models, in 1180 figures.
    {"latency", UNIT_NS, 0.097},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_BYTE_PER_S, 0.162},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_NS, 0.162},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
