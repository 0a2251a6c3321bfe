// SPDX-License-Identifier: MIT
// The words that the benchmark `map`, its plan and its results share: src/map/ and bench/map/map.c
// use them.
#ifndef BENCH_MAP_H
#define BENCH_MAP_H

#include <stdint.h>

// Values of the parameter `what`.
#define MAP_HIERARCHY  "hierarchy"  // how many levels a path has
#define MAP_LEVEL      "level"      // one cache
#define MAP_MEMORY     "memory"     // the memory after the last level found
#define MAP_TLB        "tlb"        // a TLB level; without a level number: misses in all TLB levels
#define MAP_SHARED     "shared"     // a core's shared memory
#define MAP_PROBE      "probe"      // a chain with a chosen stride: shows the size of lines
#define MAP_PAGES      "pages"      // a chain over pages at a chosen distance: shows page sizes
#define MAP_WAYS       "ways"       // a chain through one cache set, if address bits choose the set
#define MAP_CLOCKS     "clocks"     // a chain within one level, at a requested core clock
#define MAP_NEIGHBOURS "neighbours" // chains on all cores at once: show which share a level
#define MAP_CODE       "code"       // straight-line code: shows the instruction caches

// The usual stride of a chain, in bytes.
enum {
    MAP_NODE_BYTES = 128
};

// The value of `path` for levels that straight-line code shows.
#define MAP_PATH_CODE "instruction"

// The sensor of a case `code` that holds the bytes per instruction, computed from the code size
// that the driver reports.
#define MAP_CODE_SENSOR "instruction_bytes"

// map_code_length returns the number of instructions in the first `steps` stretches of
// straight-line code. A case `code` may have these lengths: 64 to 2048 in steps of 64, then 16 per
// octave up to 32768.
enum {
    MAP_CODE_STEPS = 96,
    MAP_CODE_QUESTION = 2 // instructions after each stretch that test whether it was the last
};
uint32_t map_code_length(uint32_t steps);

// The benchmark's parameters, in its order.
enum map_param {
    MAP_PARAM_WHAT,
    MAP_PARAM_PATH,
    MAP_PARAM_LEVEL,
    MAP_PARAM_BYTES,
    MAP_PARAM_CHAIN,
    MAP_PARAM_PITCH,
    MAP_PARAM_CHAINS,                   // number of parameters that every chain has
    MAP_PARAM_CLOCK = MAP_PARAM_CHAINS, // only `clocks` has it
    MAP_PARAM_INSTRUCTIONS,             // only `code` has it
    MAP_PARAM_COUNT
};

// The benchmark's metrics, in its order. The probes have the first four, which are the metrics of
// the benchmark latency.
enum map_metric {
    MAP_METRIC_LATENCY,
    MAP_METRIC_CYCLES,
    MAP_METRIC_CONTROL,
    MAP_METRIC_CONTROL_CYCLES,
    MAP_METRIC_LEVELS,
    MAP_METRIC_SIZE,
    MAP_METRIC_LINE,
    MAP_METRIC_SECTOR,
    MAP_METRIC_PAGE,
    MAP_METRIC_BANDWIDTH,
    MAP_METRIC_GROUP_BANDWIDTH,
    MAP_METRIC_CLAIM,
    MAP_METRIC_WAYS,
    MAP_METRIC_SHARERS,
    MAP_METRIC_BANKS,
    MAP_METRIC_FIXED,
    MAP_METRIC_CLOCKED,
    MAP_METRIC_FETCH,
    MAP_METRIC_FETCH_CYCLES,
    MAP_METRIC_INSTRUCTIONS,
    MAP_METRIC_INSTANCES,
    MAP_METRIC_COUNT
};

#endif
