// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
    // This spread comes from 384 figures of 24 cards of 2 models.
    {"bandwidth", UNIT_BYTE_PER_CYCLE, 0.067},
    // This spread comes from 384 figures of 24 cards of 2 models.
    {"bandwidth", UNIT_BYTE_PER_S, 0.067},
    // This spread comes from 54 figures of 9 cards of 2 models.
    {"incore", UNIT_OP_PER_CYCLE, 0.009},
    // This spread comes from 54 figures of 9 cards of 2 models.
    {"incore", UNIT_OP_PER_S, 0.007},
    // This spread comes from 1368 figures of 24 cards of 2 models.
    {"latency", UNIT_CYCLE, 0.081},
    // This spread comes from 1387 figures of 24 cards of 2 models.
    {"latency", UNIT_NS, 0.089},
    // This spread comes from 32 figures of 7 cards of 1 model.
    {"map", UNIT_BYTE_PER_S, 0.096},
    // This spread comes from 285 figures of 7 cards of 1 model.
    {"map", UNIT_CYCLE, 0.225},
    // This spread comes from 285 figures of 7 cards of 1 model.
    {"map", UNIT_NS, 0.224},
    // This spread comes from 45 figures of 19 cards of 2 models.
    {"strides", UNIT_BYTE_PER_CYCLE, 0.015},
    // This spread comes from 45 figures of 19 cards of 2 models.
    {"strides", UNIT_BYTE_PER_S, 0.015},
    // This spread comes from 45 figures of 19 cards of 2 models.
    {"strides", UNIT_CYCLE, 0.015},
    // This spread comes from 45 figures of 19 cards of 2 models.
    {"strides", UNIT_NS, 0.015},
    // This spread comes from 65 figures of 8 cards of 1 model.
    {"transfer", UNIT_BYTE_PER_S, 0.182},
    // This spread comes from 65 figures of 8 cards of 1 model.
    {"transfer", UNIT_NS, 0.182},
};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
