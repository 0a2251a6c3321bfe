// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // Spread between 13 cards of 2 models, in 302 figures.
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.089},
    // Spread between 13 cards of 2 models, in 302 figures.
    {"bandwidth", UNIT_BYTE_PER_S, 0.088},
    // Spread between 13 cards of 2 models, in 992 figures.
    {"latency", UNIT_CYCLE, 0.091},
    // Spread between 13 cards of 2 models, in 1011 figures.
    {"latency", UNIT_NS, 0.099},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_BYTE_PER_S, 0.162},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_NS, 0.162},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
