// SPDX-License-Identifier: MIT
// Collects the cases that a map asks for: cases of other benchmarks, like those of `fathom run
// BENCHMARK --set KEY=VALUES …`, and probes of the benchmark `map` itself. map/plan.c decides which
// cases to ask for, and when.
#ifndef MAP_CASES_H
#define MAP_CASES_H

#include "bench/plan.h"
#include "measure/limits.h"

#include <stdint.h>

enum {
    MAP_GRAIN_BYTES = 512 // sizes of regions are multiples of this, as in latency
};

#define MAP_CPU_BYTES (UINT64_C(128) << 20) // largest on a CPU, which builds chains slowly

struct map_cases {
    struct arena *arena;
    const struct gpu_info *device;
    struct measure_limits limits;
    const struct benchmark *latency, *bandwidth, *map, *strides;
    const char *chain;    // "pointer" if the device has addresses, else "index"
    uint64_t largest;     // bytes of the largest region of a chain of this kind
    struct plan_case *at; // all cases that were asked for, in order, each once
    size_t count, capacity;
};

// Prepares an empty list of cases. Fails with ERROR_INTERNAL if a benchmark is missing.
MUST_CHECK bool map_cases_init(struct map_cases *cases, struct arena *arena,
                               const struct gpu_info *device, struct error *err);

// True if the device is a CPU. Its caches are known, and the operating system chooses the size of
// its pages.
bool map_cases_of_cpu(const struct map_cases *cases);

// Returns the size in bytes of the last cache if the driver or our table states it; else 64 MiB. A
// stated size below 1 MiB counts only if it is known to be the last cache's; otherwise it can only
// be a cache nearer to the cores.
uint64_t map_cases_last_cache(const struct map_cases *cases);

// Adds all cases that the settings `texts` ("KEY=VALUE") select; adds none if this device does not
// allow the combination.
void map_cases_add_chosen(struct map_cases *cases, const struct benchmark *benchmark,
                          const char *const *texts, size_t count);

// Adds cases of latency over region sizes. `bytes` is a list in the form of --set.
void map_cases_add_latency(struct map_cases *cases, const char *path, const char *order,
                           const char *bytes);

// Returns the first sizes of vector loads, in the form of --set: four per octave up to twice the
// last cache, three per octave up to six times it, then one per octave. The last ones show
// translation, and caches that nobody states, whose ends get more sizes later. (With short lines, a
// chain's nodes fill the last cache only in a region four times as large.) On a CPU: three per
// octave up to MAP_CPU_BYTES.
const char *map_cases_coarse_sizes(const struct map_cases *cases);

// Adds a chain of the benchmark `map`; adds none if its region has fewer than two nodes.
struct map_chain {
    const char *what; // MAP_… of bench/map.h
    size_t level;     // counted from 1
    double bytes;     // bytes of the region; rounded down to a multiple of `grain`
    uint64_t stride, grain;
    double clock_hz; // core clock of a case with `what` MAP_CLOCKS; 0: not set
    unsigned chains; // of a case with `what` MAP_NEIGHBOURS; 0: one on every core
};
void map_cases_add_chain(struct map_cases *cases, const struct map_chain *chain);

// Adds a case of straight-line code with this number of instructions.
void map_cases_add_code(struct map_cases *cases, uint64_t instructions);

// Adds a read of `bytes` in total by the scope "device" or "workgroup". `apart` true: each
// workgroup reads a part of its own; false: each workgroup reads everything.
void map_cases_add_read(struct map_cases *cases, const char *scope, bool apart, uint64_t bytes);

#endif
