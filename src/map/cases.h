// SPDX-License-Identifier: MIT
// Collects the cases that a map asks for. Some are cases of other benchmarks, like those of `fathom
// run BENCHMARK --set KEY=VALUES …`. The others are probes of the benchmark `map` itself.
// map/plan.c decides which cases a map asks for, and when.
#ifndef MAP_CASES_H
#define MAP_CASES_H

#include "bench/plan.h"
#include "measure/limits.h"

#include <stdint.h>

enum {
    // Region sizes are multiples of this number of bytes, as in the benchmark latency.
    MAP_GRAIN_BYTES = 512
};

// Largest region in bytes of a chain or of a read on a CPU, which builds chains slowly.
#define MAP_CPU_BYTES (UINT64_C(128) << 20)

struct map_cases {
    struct arena *arena;
    const struct gpu_info *device;
    struct measure_limits limits;
    const struct benchmark *latency, *bandwidth, *map, *strides;
    // Kind of latency chains: "pointer" if the device has 64-bit addresses, else "index".
    const char *chain;
    uint64_t largest; // size in bytes of the largest region that a latency chain can cover
    // list of all cases requested so far, in the order of the requests; no case twice
    struct plan_case *at;
    size_t count, capacity;
};

// Prepares an empty list of cases. Fails with ERROR_INTERNAL if a benchmark is missing.
MUST_CHECK bool map_cases_init(struct map_cases *cases, struct arena *arena,
                               const struct gpu_info *device, struct error *err);

// True if the device is a CPU. A map measures less there: a CPU's caches are known, and the
// operating system chooses its page size.
bool map_cases_of_cpu(const struct map_cases *cases);

// Returns the size in bytes of the last cache before memory, by the driver or by the tables of
// measure/limits.c. Returns 64 MiB if the size is unknown. A stated size below 1 MiB is usually the
// size of a cache nearer to the cores. So it counts only if it is known to be the size of the last
// cache.
uint64_t map_cases_last_cache(const struct map_cases *cases);

// Adds all cases of a benchmark that the settings `texts` ("KEY=VALUE") select. Adds none if the
// settings are not possible on this device. Latencies count at any core clock, because a map
// compares them at different clocks.
void map_cases_add_chosen(struct map_cases *cases, const struct benchmark *benchmark,
                          const char *const *texts, size_t count);

// Adds cases of the benchmark latency, one for each region size. `bytes` is a list of sizes in the
// form of the option --set.
void map_cases_add_latency(struct map_cases *cases, const char *path, const char *order,
                           const char *bytes);

// Returns the region sizes at which the latency of vector loads is measured first, as a list in the
// form of --set. The list has three parts:
// - Up to twice the last cache, there are four sizes per octave.
// - From there to six times the last cache, there are three per octave. A cache whose lines are
//   shorter than the distance between nodes may be full only at four times its size.
// - Beyond that, there is one per octave. These sizes show address translation, and caches that no
//   driver states.
// On a CPU there are three sizes per octave, up to MAP_CPU_BYTES.
const char *map_cases_coarse_sizes(const struct map_cases *cases);

// A latency chain of the benchmark map. map_cases_add_chain adds it as a case, unless its region
// has fewer than two nodes.
struct map_chain {
    const char *what; // what the chain shows: a MAP_… text of bench/map.h
    // number, from 1, of the level or of the latency curve's step that the chain is for
    size_t level;
    // Size of the region in bytes. It is rounded down to a multiple of `grain`; if that is 0, of
    // MAP_GRAIN_BYTES.
    double bytes;
    uint64_t stride, grain;
    double clock_hz; // requested core clock, if `what` is MAP_CLOCKS; 0 if none is requested
    // number of chains at once, if `what` is MAP_NEIGHBOURS; 0 means one on each core
    unsigned chains;
};
void map_cases_add_chain(struct map_cases *cases, const struct map_chain *chain);

// Adds a case of straight-line code with this number of instructions.
void map_cases_add_code(struct map_cases *cases, uint64_t instructions);

// Adds a bandwidth case that reads `bytes` of memory. `scope` is "device" (all workgroups read) or
// "workgroup" (one workgroup reads). With `apart`, each workgroup reads its own part of these
// bytes; otherwise each workgroup reads all of them.
void map_cases_add_read(struct map_cases *cases, const char *scope, bool apart, uint64_t bytes);

#endif
