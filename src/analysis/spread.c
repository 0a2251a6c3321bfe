// SPDX-License-Identifier: MIT
// Written by tools/results.py from the runs in reference/, which says how: do not edit.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // 4 cards, models: 1, figures: 280
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.148},
    // 4 cards, models: 1, figures: 280
    {"bandwidth", UNIT_BYTE_PER_S, 0.157},
    // 4 cards, models: 1, figures: 753
    {"latency", UNIT_CYCLE, 0.177},
    // 4 cards, models: 1, figures: 753
    {"latency", UNIT_NS, 0.193},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
