// SPDX-License-Identifier: MIT
// The loads of a chain through the caches and TLBs of a simulated machine, one by one.
//
// Of a large region only every 2ⁿ-th block of 256 bytes is simulated, in caches with as many sets
// fewer: each set then sees the lines that it would see in the whole (set sampling: Puzak,
// "Analysis of cache replacement algorithms", 1985).
#ifndef LEVELS_CHAIN_H
#define LEVELS_CHAIN_H

#include "simulated.h"

struct chain {
    uint64_t nodes, stride; // of a core; bytes from one node to the next
    uint64_t turns;         // nodes of each place: > 1 for chains over pages
    bool in_order;          // pages are visited one after another
    unsigned count, cores; // chains, each in a region of its own; cores, over which they are spread
};

// The mean latency of a chain's loads, in core cycles and in ns of other clocks; of several chains,
// the median one.
struct latency {
    double cycles, ns;
};

struct latency chain_simulate(const struct simulated *machine, const struct chain *chain,
                              struct random *random);

#endif
