// SPDX-License-Identifier: MIT
// What `map` finds: words that its plan (map/map.h), its results (map/levels.h) and
// its own probes share.
#ifndef BENCH_MAP_H
#define BENCH_MAP_H

#include <stdint.h>

// Values of the parameter `what`.
#define MAP_HIERARCHY  "hierarchy" // of a path: how many levels
#define MAP_LEVEL      "level"     // one cache
#define MAP_MEMORY     "memory"    // what lies behind the last level found
#define MAP_TLB        "tlb" // one level of address translation; without a level: beyond the last
#define MAP_SHARED     "shared" // a core's shared memory
#define MAP_PROBE      "probe"  // a chain with nodes `pitch` bytes apart: shows a level's lines
#define MAP_PAGES      "pages"  // a chain through pages `pitch` bytes apart: shows a TLB's pages
#define MAP_WAYS       "ways"   // a chain through one set, if address bits choose it
#define MAP_CLOCKS     "clocks" // a chain within a level while the core runs by a clock asked for
#define MAP_NEIGHBOURS "neighbours" // a chain on each core, all at once: shows who shares a level
#define MAP_CODE       "code"       // straight-line code: shows the caches of instructions

// Bytes from one node to the next in chains of `map`'s own, where they do not say otherwise.
enum {
    MAP_NODE_BYTES = 128
};

// The path of levels that straight-line code shows.
#define MAP_PATH_CODE "instruction"

// A sensor of `code`: bytes of an instruction, from the size of the whole code.
#define MAP_CODE_SENSOR "instruction_bytes"

// Instructions in the first `steps` stretches of straight-line code, which are the lengths that a
// case `code` may have: 64 to 2048 in steps of 64, then 16 an octave to 32768.
enum {
    MAP_CODE_STEPS = 96,
    MAP_CODE_QUESTION = 2 // instructions after each, which ask whether it was the last
};
uint32_t map_code_length(uint32_t steps);

// In the order of the benchmark's params.
enum map_param {
    MAP_PARAM_WHAT,
    MAP_PARAM_PATH,
    MAP_PARAM_LEVEL,
    MAP_PARAM_BYTES,
    MAP_PARAM_CHAIN,
    MAP_PARAM_PITCH,
    MAP_PARAM_CHAINS,                   // how many are of chains
    MAP_PARAM_CLOCK = MAP_PARAM_CHAINS, // of `clocks` alone, beside those
    MAP_PARAM_INSTRUCTIONS,             // of `code` alone
    MAP_PARAM_COUNT
};

// In the order of the benchmark's metrics. The first four are latency's own, for the probes.
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
    MAP_METRIC_COUNT
};

#endif
