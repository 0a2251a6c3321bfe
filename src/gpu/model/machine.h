// SPDX-License-Identifier: MIT
// What a model's file says: gpu/model.h has the format.
#ifndef GPU_MODEL_MACHINE_H
#define GPU_MODEL_MACHINE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_LEVELS_MAX = 6,
    MODEL_TLBS_MAX = 3,
    MODEL_WAYS_MAX = 64,
    MODEL_SECTORS_MAX = 8
};

// Of all caches of a level, or TLBs of a kind, together: the host keeps a word for each.
#define MODEL_LINES_MAX (UINT64_C(1) << 28)

enum model_replacement {
    MODEL_LRU,
    MODEL_PLRU, // a tree of bits a set; ways are a power of two
    MODEL_RANDOM
};

struct model_cache_desc {
    uint64_t capacity_bytes;
    uint32_t line_bytes, sector_bytes; // powers of two; at most MODEL_SECTORS_MAX a line
    uint32_t ways;
    uint32_t latency_cycles; // of a load that finds its sector; of a TLB: what a miss adds
    double latency_ns;       // what comes to that whatever the core's clock
    uint32_t sharers;        // cores that have one in common; 0: all of the chip
    bool hashed;             // sets by a hash, else by address bits
    enum model_replacement replacement;
    // Of reads, in core cycles; 0: not told.
    double core_bytes_per_cycle, chip_bytes_per_cycle;
};

struct model_machine {
    const char *name;
    uint32_t cores, core_threads; // threads that a core holds
    double core_clock_hz;
    uint64_t memory_bytes, last_cache_bytes;
    struct model_cache_desc levels[MODEL_LEVELS_MAX];
    uint32_t level_count;
    struct model_cache_desc tlbs[MODEL_TLBS_MAX]; // lines are pages
    uint32_t tlb_count;
    struct model_cache_desc memory;               // its latency and bandwidth
    double throttle_after_ns, throttle_period_ns; // period 0: never
    double throttle_length_ns, throttle_clock_hz;
    double refresh_period_ns, refresh_length_ns; // 0: none
    double launch_ns;
    uint32_t clock_step_ns;
    double noise, correlation, outliers;
    uint64_t seed;
};

// Reads the file into `machine`, strings in `arena`; ERROR_USAGE names the JSON path and the
// reason.
MUST_CHECK bool model_machine_read(struct arena *arena, const char *path,
                                   struct model_machine *machine, struct error *err);

#endif
