// SPDX-License-Identifier: MIT
// Written by tools/results.py from the runs in reference/, which says how: do not edit.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // 6 cards, models: 1, figures: 282
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.117},
    // 6 cards, models: 1, figures: 282
    {"bandwidth", UNIT_BYTE_PER_S, 0.120},
    // 5 cards, models: 1, figures: 754
    {"latency", UNIT_CYCLE, 0.138},
    // 5 cards, models: 1, figures: 773
    {"latency", UNIT_NS, 0.151},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
