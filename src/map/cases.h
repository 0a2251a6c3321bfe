// SPDX-License-Identifier: MIT
// The cases that a map asks for: cases of other benchmarks, as `fathom run BENCHMARK --set
// KEY=VALUES …` makes them, and probes of the benchmark `map` itself. map/plan.c decides which of
// them to ask for, and when.
#ifndef MAP_CASES_H
#define MAP_CASES_H

#include "bench/plan.h"
#include "measure/limits.h"

#include <stdint.h>

enum {
    MAP_GRAIN_BYTES = 512 // sizes of regions are multiples of it, as in latency
};

#define MAP_CPU_BYTES (UINT64_C(128) << 20) // largest region on a CPU: its chains are built slowly

struct map_cases {
    struct arena *arena;
    const struct gpu_info *device;
    struct measure_limits limits;
    const struct benchmark *latency, *bandwidth, *map, *strides;
    const char *chain;    // "pointer" if the device has addresses, else "index"
    uint64_t largest;     // bytes of the largest region of such a chain
    struct plan_case *at; // all cases asked for, in that order, each once
    size_t count, capacity;
};

// No case yet. ERROR_INTERNAL if a benchmark is missing.
MUST_CHECK bool map_cases_init(struct map_cases *cases, struct arena *arena,
                               const struct gpu_info *device, struct error *err);

// True if the device is a processor: its caches are known, and the operating system chooses the
// size of its pages.
bool map_cases_of_cpu(const struct map_cases *cases);

// Bytes of the last cache: as stated, or a usual size where nobody states one.
uint64_t map_cases_last_cache(const struct map_cases *cases);

// Adds all cases of the settings `texts` ("KEY=VALUES"); none where they do not go together on this
// device.
void map_cases_add_chosen(struct map_cases *cases, const struct benchmark *benchmark,
                          const char *const *texts, size_t count);

// Adds latency over sizes; `bytes` as --set takes them.
void map_cases_add_latency(struct map_cases *cases, const char *path, const char *order,
                           const char *bytes);

// The first sizes of vector loads, as --set takes them: four an octave to twice the last cache,
// three to six times, then one an octave, where only translation is left to see. Where lines are
// short, a chain's nodes fill that cache only in a region four times as large.
const char *map_cases_coarse_sizes(const struct map_cases *cases);

// Adds a chain of the benchmark `map`; none if its region has less than two nodes.
struct map_chain {
    const char *what; // MAP_… of bench/map.h
    size_t level;     // from 1
    double bytes;     // of the region, rounded down to a multiple of `grain`
    uint64_t stride, grain;
    double clock_hz; // of MAP_CLOCKS; 0: as it is
};
void map_cases_add_chain(struct map_cases *cases, const struct map_chain *chain);

// Adds straight-line code of so many instructions.
void map_cases_add_code(struct map_cases *cases, uint64_t instructions);

// Adds reads in the middle of a level that holds regions of `from` to `end` bytes: by the device,
// if every core can read a part of its own there (within the first level all cores read the same),
// and by one workgroup.
void map_cases_add_level_bandwidth(struct map_cases *cases, double from, double end, bool first);

// Adds reads well behind the last level, which ends at `end` bytes.
void map_cases_add_memory_bandwidth(struct map_cases *cases, double end);

#endif
