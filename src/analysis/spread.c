// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // Spread between 15 cards of 2 models, in 317 figures.
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.086},
    // Spread between 15 cards of 2 models, in 317 figures.
    {"bandwidth", UNIT_BYTE_PER_S, 0.085},
    // Spread between 9 cards of 2 models, in 54 figures.
    {"incore", UNIT_OP_PER_CYCLE, 0.009},
    // Spread between 9 cards of 2 models, in 54 figures.
    {"incore", UNIT_OP_PER_S, 0.007},
    // Spread between 15 cards of 2 models, in 1257 figures.
    {"latency", UNIT_CYCLE, 0.088},
    // Spread between 15 cards of 2 models, in 1276 figures.
    {"latency", UNIT_NS, 0.096},
    // Spread between 10 cards of 2 models, in 45 figures.
    {"strides", UNIT_BYTE_PER_CYCLE, 0.017},
    // Spread between 10 cards of 2 models, in 45 figures.
    {"strides", UNIT_BYTE_PER_S, 0.017},
    // Spread between 10 cards of 2 models, in 45 figures.
    {"strides", UNIT_CYCLE, 0.017},
    // Spread between 10 cards of 2 models, in 45 figures.
    {"strides", UNIT_NS, 0.017},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_BYTE_PER_S, 0.162},
    // Spread between 6 cards of 1 model, in 61 figures.
    {"transfer", UNIT_NS, 0.162},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
