// SPDX-License-Identifier: MIT
// A simulated device, as a file describes it. docs/MODELS.md describes the format of the file.
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

// Maximum number of lines in all caches of one level, or of entries in all TLBs of one level. For
// each line or entry, the host needs a 32-bit word.
#define MODEL_LINES_MAX (UINT64_C(1) << 28)

enum model_replacement {
    MODEL_LRU,
    // Pseudo-LRU with a tree of bits for each set; the number of ways must be a power of two.
    MODEL_PLRU,
    MODEL_RANDOM
};

struct model_cache_desc {
    uint64_t capacity_bytes;
    // Sizes of a line and of a sector in bytes; both are powers of two. A line has at most
    // MODEL_SECTORS_MAX sectors.
    uint32_t line_bytes, sector_bytes;
    uint32_t ways;
    // Latency of a hit in a cache; for a TLB, the time that a miss adds. It is the sum of
    // latency_cycles core cycles and latency_ns. latency_ns does not depend on the core clock.
    uint32_t latency_cycles;
    double latency_ns;
    uint32_t sharers; // number of cores that share one cache; 0 if all cores share it
    bool is_near;     // true if this cache is a part of the next level's cache
    // true if a hash of the address selects the set; false if bits of the address select it
    bool hashed;
    enum model_replacement replacement;
    // Bandwidth of a core and of the chip, in bytes per core cycle; 0 if it is not known. If the
    // file states only the chip's bandwidth, each core gets an equal share of it.
    double core_bytes_per_cycle, chip_bytes_per_cycle;
};

struct model_machine {
    const char *name;
    // `cores` is the number of cores. core_threads is the maximum number of threads on one core.
    uint32_t cores, core_threads;
    double core_clock_hz;
    uint64_t memory_bytes, last_cache_bytes;
    struct model_cache_desc levels[MODEL_LEVELS_MAX];
    uint32_t level_count;
    struct model_cache_desc tlbs[MODEL_TLBS_MAX]; // TLBs; their line_bytes is the page size
    uint32_t tlb_count;
    // the memory behind the caches; of its members, only latency and bandwidth are used
    struct model_cache_desc memory;
    // Throttling. From after_ns on, the core clock is clock_hz in the first length_ns of each
    // period. If the period is 0, there is no throttling.
    double throttle_after_ns, throttle_period_ns;
    double throttle_length_ns, throttle_clock_hz;
    // period and duration of the DRAM refresh in ns; if the period is 0, there is no refresh
    double refresh_period_ns, refresh_length_ns;
    // Work of other processes, from after_ns on, in the first length_ns of each period. In this
    // time, other processes and this process use the device in turn, for slice_ns each. If the
    // period is 0, there is no such work.
    double company_after_ns, company_period_ns, company_length_ns, company_slice_ns;
    double launch_ns;
    uint32_t clock_step_ns;
    double noise, correlation, outliers;
    uint64_t seed;
};

// Returns the time in ns for which other processes have used the device, once it has worked own_ns
// for this process. The model's file describes the simulated other processes.
double model_company_ns(const struct model_machine *machine, double own_ns);

// Reads a model's file into `machine`; its strings live in `arena`. If the file cannot be read or
// does not describe a model, fails with ERROR_USAGE. The message has the reason, and the JSON path
// or the line if there is one.
MUST_CHECK bool model_machine_read(struct arena *arena, const char *path,
                                   struct model_machine *machine, struct error *err);

#endif
