// SPDX-License-Identifier: MIT
// What `fathom map` asks a device, as cases of benchmarks, each once. Which of them, and when:
// map/map.h.
#ifndef MAP_QUESTIONS_H
#define MAP_QUESTIONS_H

#include "bench/plan.h"
#include "measure/limits.h"

#include <stdint.h>

enum {
    MAP_GRAIN_BYTES = 512 // latency's: sizes are multiples of it
};

#define MAP_CPU_BYTES (UINT64_C(128) << 20) // most of host memory: its chains are built slowly

struct map_questions {
    struct arena *arena;
    const struct gpu_info *device;
    struct measure_limits limits;
    const struct benchmark *latency, *bandwidth, *map, *strides; // strides: NULL without it
    const char *chain;       // "pointer" where the device has addresses, else "index"
    uint64_t largest;        // bytes of the largest region of such a chain
    struct plan_case *cases; // all that were asked, in that order
    size_t count, capacity;
};

// None asked yet. ERROR_INTERNAL where a benchmark is missing.
MUST_CHECK bool map_questions_init(struct map_questions *ask, struct arena *arena,
                                   const struct gpu_info *device, struct error *err);

// The device is a processor: its caches are known, its pages are the operating system's.
bool map_questions_of_cpu(const struct map_questions *ask);

// Bytes of the last cache; a usual one where nobody says.
uint64_t map_last_cache_bytes(const struct map_questions *ask);

// One case; `point` lives as long as `ask`.
void map_ask_case(struct map_questions *ask, const struct benchmark *benchmark,
                  const struct bench_case *bench_case);

// All cases of choices "key=values", as the command line takes them.
void map_ask_chosen(struct map_questions *ask, const struct benchmark *benchmark,
                    const char *const *texts, size_t count);

// Latency over sizes.
void map_ask_latency(struct map_questions *ask, const char *path, const char *order,
                     const char *bytes);

// One chain by the benchmark `map` itself.
struct map_question_probe {
    const char *what; // MAP_… of bench/map.h
    size_t level;     // from 1
    double bytes;     // of the region, cut to a multiple of `grain`
    uint64_t pitch, grain;
    double clock_hz; // of MAP_CLOCKS; 0: as it is
};
void map_ask_probe(struct map_questions *ask, const struct map_question_probe *probe);

// Reads in the middle of a level that holds regions of `from` to `end` bytes: of the device, where
// every core can read a part of its own (within the first level all read the same), and of one
// workgroup.
void map_ask_level_bandwidth(struct map_questions *ask, double from, double end, bool first);

// Reads well behind the last level, which ends at `end` bytes.
void map_ask_memory_bandwidth(struct map_questions *ask, double end);

#endif
