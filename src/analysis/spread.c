// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // Spread between 24 cards of 2 models, in 384 figures.
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.067},
    // Spread between 24 cards of 2 models, in 384 figures.
    {"bandwidth", UNIT_BYTE_PER_S, 0.067},
    // Spread between 9 cards of 2 models, in 54 figures.
    {"incore", UNIT_OP_PER_CYCLE, 0.009},
    // Spread between 9 cards of 2 models, in 54 figures.
    {"incore", UNIT_OP_PER_S, 0.007},
    // Spread between 24 cards of 2 models, in 1368 figures.
    {"latency", UNIT_CYCLE, 0.081},
    // Spread between 24 cards of 2 models, in 1387 figures.
    {"latency", UNIT_NS, 0.089},
    // Spread between 7 cards of 1 model, in 32 figures.
    {"map", UNIT_BYTE_PER_S, 0.096},
    // Spread between 7 cards of 1 model, in 285 figures.
    {"map", UNIT_CYCLE, 0.225},
    // Spread between 7 cards of 1 model, in 285 figures.
    {"map", UNIT_NS, 0.224},
    // Spread between 19 cards of 2 models, in 45 figures.
    {"strides", UNIT_BYTE_PER_CYCLE, 0.015},
    // Spread between 19 cards of 2 models, in 45 figures.
    {"strides", UNIT_BYTE_PER_S, 0.015},
    // Spread between 19 cards of 2 models, in 45 figures.
    {"strides", UNIT_CYCLE, 0.015},
    // Spread between 19 cards of 2 models, in 45 figures.
    {"strides", UNIT_NS, 0.015},
    // Spread between 8 cards of 1 model, in 65 figures.
    {"transfer", UNIT_BYTE_PER_S, 0.182},
    // Spread between 8 cards of 1 model, in 65 figures.
    {"transfer", UNIT_NS, 0.182},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
