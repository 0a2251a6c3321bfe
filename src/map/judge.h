// SPDX-License-Identifier: MIT
// What `map` asks of a level beside its size and line, and what the answers say: the ways of its
// sets, the cores that share it, the clock that it runs by.
#ifndef MAP_JUDGE_H
#define MAP_JUDGE_H

#include "analysis/levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A level as the curve has it. Latencies in any unit, sizes in bytes.
struct map_level {
    double before, within,
        beyond; // latencies: of the level before (0: none), of it, of what follows
    double end; // where it ends
};

// Level k of a curve, counted from 0, that is followed by another or by memory.
struct map_level map_level_of(const struct level_curve *curve, size_t k);

// ---------------------------------------------------------------- ways

// A chain through n nodes that are a power of two at least as long as the cache apart: where
// address bits choose the set they all meet in one, and n of them fit up to its ways.
extern const unsigned map_ways_plan[]; // ascending
extern const size_t map_ways_count;

// From one node to the next: the least power of two that is not less than the level's end.
uint64_t map_ways_stride(double end);

// Larger ones are not asked about: a level of 4 MiB is, on whichever side of it its end was found.
#define MAP_WAYS_STRIDE_MOST (UINT64_C(4) << 20)

// `latency` in the order of map_ways_plan, NaN where there is none. 0 with the reason in *why.
unsigned map_ways_judge(const struct map_level *level, const double *latency, const char **why);

// ---------------------------------------------------------------- cores that share it

enum {
    MAP_SHARERS_MAX = 16 // probes of a level
};

struct map_sharers_probe {
    unsigned sharers; // up to so many cores' regions fit the level
    double region;    // bytes, of each core
};

// Regions of ¾ of the level over 1, 2, 4 … ½ and all of the cores, in nodes of 128 bytes: those
// that together are not more than `most` bytes. Returns how many.
size_t map_sharers_plan(const struct map_level *level, unsigned cores, double most,
                        struct map_sharers_probe probes[MAP_SHARERS_MAX]);

// Bytes that all regions together may take: what tells whether at least a quarter of the cores
// share the level, and 64 MiB in any case.
double map_sharers_most(const struct map_level *level);

struct map_sharers {
    unsigned sharers;   // 0: not told; the reason stands in `why`
    unsigned low, high; // as many at least, at most
    const char *why;
};

// A probe fits where its latency is nearer (by ratio) to `within` than to `beyond`; where it is
// nearer to `before`, the level before kept it, and it tells nothing. Regions of n sharers fit for
// 4/3 n of them and not for more.
struct map_sharers map_sharers_judge(const struct map_level *level,
                                     const struct map_sharers_probe *probes, const double *latency,
                                     size_t count, unsigned cores);

// ---------------------------------------------------------------- clocks

struct map_clocks {
    double fixed_ns, fixed_half; // a of latency = a + b / core clock, half of its 95 % interval
    double cycles, cycles_half;  // b
    const char *domain;          // whose clock: a sentence part
};

#define MAP_CLOCKS_APART 1.05 // the highest over the lowest clock, at least

// From latencies (ns) and the core's clock (Hz) at each. False where the clocks differ by less than
// 5 %, or do not tell the two apart: *why says so.
bool map_clocks_judge(const double *ns, const double *hz, size_t count, struct map_clocks *clocks,
                      const char **why);

#endif
