// SPDX-License-Identifier: MIT
// Names that two places use: src/map/ (the plan of `fathom map` and its results) and bench/map/
// (the benchmark).
#ifndef BENCH_MAP_H
#define BENCH_MAP_H

#include <stdint.h>

// Values of the parameter `what`: what a case of the benchmark map measures. `fathom map` draws
// conclusions from the probes.
#define MAP_HIERARCHY  "hierarchy"  // measures how many levels of memory a path has
#define MAP_LEVEL      "level"      // measures one cache of a path
#define MAP_MEMORY     "memory"     // measures the memory behind the last cache that was found
#define MAP_TLB        "tlb"        // measures a TLB level; without `level`: misses in all levels
#define MAP_SHARED     "shared"     // measures a core's shared memory
#define MAP_PROBE      "probe"      // probe of line size or pages: a chain with a given stride
#define MAP_PAGES      "pages"      // probe of the page size: a chain over equally distant pages
#define MAP_LOCAL      "local"      // probe of a level: a chain that uses few pages at a time
#define MAP_WAYS       "ways"       // probe of cache ways: nodes that may fall into one cache set
#define MAP_CLOCKS     "clocks"     // probe of a level at a given core clock
#define MAP_NEIGHBOURS "neighbours" // probe of sharing: chains on several cores at the same time
#define MAP_CODE       "code"       // probe of the instruction caches: straight-line code

// Default distance in bytes between successive nodes of a chain.
enum {
    MAP_NODE_BYTES = 128
};

// Value of the parameter `path` for instruction caches. Straight-line code measures them.
#define MAP_PATH_CODE "instruction"

// Name of a sensor value of cases `what=code`: bytes per instruction, from the code size that the
// driver reports.
#define MAP_CODE_SENSOR "instruction_bytes"

// A kernel of cases `what=code` has up to MAP_CODE_STEPS parts. map_code_length(n) returns the
// number of instructions of the first n parts together: 64 to 2048 in steps of 64, then 16 numbers
// per octave up to 32768.
enum {
    MAP_CODE_STEPS = 96,
    // Number of instructions after each part, which end the lap if no further part should run.
    MAP_CODE_QUESTION = 2
};
uint32_t map_code_length(uint32_t steps);

// The parameters of the benchmark map, in the order of their declaration.
enum map_param {
    MAP_PARAM_WHAT,
    MAP_PARAM_PATH,
    MAP_PARAM_LEVEL,
    MAP_PARAM_BYTES,
    MAP_PARAM_CHAIN,
    MAP_PARAM_PITCH,
    // number of parameters above; every chain has all of them
    MAP_PARAM_CHAINS,
    MAP_PARAM_CLOCK = MAP_PARAM_CHAINS, // core clock: for cases `what=clocks` only
    MAP_PARAM_INSTRUCTIONS,             // number of instructions: for cases `what=code` only
    MAP_PARAM_PARALLEL,                 // number of chains: for cases `what=neighbours` only
    MAP_PARAM_COUNT
};

// Metrics of the benchmark map, in the order of their declaration. Probes with chains have the
// first four metrics, which the benchmark latency has, too. Cases `what=code` have FETCH and
// FETCH_CYCLES.
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
