// SPDX-License-Identifier: MIT
// The loads of a chain, one by one, through the caches and TLBs of a simulated machine.
//
// In a large region, only every 2ⁿ-th block of 256 bytes is simulated, in caches with 2ⁿ times
// fewer sets. So each set has the lines that it would have with the whole region (set sampling:
// Puzak, "Analysis of cache replacement algorithms", 1985).
#ifndef LEVELS_CHAIN_H
#define LEVELS_CHAIN_H

#include "simulated.h"

struct chain {
    uint64_t nodes, stride; // nodes of one chain; bytes from one node to the next
    uint64_t turns;         // nodes in each place; above 1 in chains over pages
    bool in_order;          // pages are visited one after another
    unsigned count, cores;  // chains with regions of their own; cores that follow them
};

// The mean latency of a chain's loads: core cycles, and ns that do not depend on the core clock.
// For several chains, it is the median.
struct latency {
    double cycles, ns;
};

struct latency chain_simulate(const struct simulated *machine, const struct chain *chain,
                              struct random *random);

#endif
