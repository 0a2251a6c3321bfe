// SPDX-License-Identifier: MIT
// Written by tools/results.py from the runs in reference/, which says how: do not edit.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // 13 cards, models: 2, figures: 302
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.089},
    // 13 cards, models: 2, figures: 302
    {"bandwidth", UNIT_BYTE_PER_S, 0.088},
    // 13 cards, models: 2, figures: 992
    {"latency", UNIT_CYCLE, 0.091},
    // 13 cards, models: 2, figures: 1011
    {"latency", UNIT_NS, 0.099},
    // 6 cards, models: 1, figures: 61
    {"transfer", UNIT_BYTE_PER_S, 0.162},
    // 6 cards, models: 1, figures: 61
    {"transfer", UNIT_NS, 0.162},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
