// SPDX-License-Identifier: MIT
// Random machines whose truth is known, and what `fathom map` measures on them. The caches are
// simulated load by load, so the curves have the rounded knees of set-associative caches; no
// formula that judges curves makes them.
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
    SETS_FOLDED, // the bits above are folded onto these by XOR: aligned blocks fill all sets
    SETS_RANDOM  // a hash of each line by itself
};

struct simulated_cache {
    uint64_t capacity, sets; // bytes; number of sets
    uint32_t line, sector, ways;
    enum simulated_sets choice;
    bool random;       // replaces a random line of the set, not the oldest one
    double cycles, ns; // a hit takes cycles / core clock + ns
    unsigned sharers;  // number of cores
};

struct simulated {
    size_t level_count, tlb_count;
    struct simulated_cache levels[SIMULATED_LEVELS_MAX];
    struct simulated_cache tlbs[SIMULATED_TLBS_MAX]; // lines are pages; cycles: of a miss
    double memory_cycles, memory_ns;
    bool scattered;            // pages of `page` bytes lie anywhere in memory
    uint64_t page;             // bytes
    double clocks_hz[2];       // visits run at either
    double noise, correlation; // relative, AR(1)
    double slope;              // > 0: latency rises by this power of the region, without levels
    uint64_t seed;
};

// A fair machine: 1–4 caches of 6 KiB–96 MiB, each at least three times as large as the one before
// in bytes and in lines, and slower by at least 30 %; lines of 32–256 bytes.
void simulated_make(struct random *random, struct simulated *machine, struct gpu_info *device);

// Latency in ns of a hit in level k, in memory if k is level_count, at that clock.
double simulated_latency(const struct simulated *machine, size_t k, double clock_hz);

// What a run of five rounds makes of that case: a metric with its interval and verdict. Cases of
// what the machine does not have are skipped.
void simulated_answer(const struct simulated *machine, const struct gpu_info *device,
                      struct random *random, struct arena *arena, struct result *result);

#endif
