// SPDX-License-Identifier: MIT
// Written by tools/results.py from the runs in reference/, which says how: do not edit.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // 9 cards, models: 1, figures: 289
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.103},
    // 9 cards, models: 1, figures: 289
    {"bandwidth", UNIT_BYTE_PER_S, 0.106},
    // 9 cards, models: 1, figures: 989
    {"latency", UNIT_CYCLE, 0.098},
    // 9 cards, models: 1, figures: 1008
    {"latency", UNIT_NS, 0.107},
    // 6 cards, models: 1, figures: 61
    {"transfer", UNIT_BYTE_PER_S, 0.162},
    // 6 cards, models: 1, figures: 61
    {"transfer", UNIT_NS, 0.162},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
