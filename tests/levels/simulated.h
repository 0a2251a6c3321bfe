// SPDX-License-Identifier: MIT
// Random machines whose truth is known, and what `fathom map` measures on them. The caches are
// simulated load by load, so the curves have the rounded knees of set-associative caches. They do
// not come from the formulas that judge curves.
#ifndef LEVELS_SIMULATED_H
#define LEVELS_SIMULATED_H

#include "base/arena.h"
#include "gpu/info.h"
#include "math/random.h"
#include "results/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIMULATED_LEVELS_MAX = 4,
    SIMULATED_TLBS_MAX = 2
};

enum simulated_sets {
    SETS_PLAIN,  // address bits choose the set
    SETS_FOLDED, // higher bits are XORed onto these: aligned blocks fill all sets
    SETS_RANDOM  // a hash of the line's address
};

struct simulated_cache {
    uint64_t capacity, sets; // bytes; number of sets
    uint32_t line, sector, ways;
    enum simulated_sets choice;
    bool random;       // replaces a random line of the set, not the oldest one
    double cycles, ns; // a hit takes cycles / core clock + ns
    unsigned sharers;  // cores that share one cache
};

struct simulated {
    size_t level_count, tlb_count;
    struct simulated_cache levels[SIMULATED_LEVELS_MAX];
    struct simulated_cache tlbs[SIMULATED_TLBS_MAX]; // lines are pages; cycles are those of a miss
    double memory_cycles, memory_ns;
    bool scattered;            // pages of `page` bytes lie anywhere in memory
    uint64_t page;             // bytes
    double clocks_hz[2];       // each visit runs at one of these
    double noise, correlation; // relative size, and AR(1) coefficient
    double slope;              // > 0: latency rises by this power of the region, without levels
    uint64_t seed;
};

// Makes a fair machine: 1–4 caches of 6 KiB–96 MiB. Each has at least three times the bytes and
// lines and 1.3 times the latency of the one before. Lines have 32–256 bytes.
void simulated_make(struct random *random, struct simulated *machine, struct gpu_info *device);

// Returns the latency in ns at that clock of a hit in level k, or of memory if k is level_count.
double simulated_latency(const struct simulated *machine, size_t k, double clock_hz);

// Fills the result of a case as a run of four or five rounds does, with a metric, its interval and
// a verdict. If the machine does not have what the case measures, the case is skipped.
void simulated_answer(const struct simulated *machine, const struct gpu_info *device,
                      struct random *random, struct arena *arena, struct result *result);

#endif
