// SPDX-License-Identifier: MIT
// Lines and sectors of a cache, and its true size, from latencies of chains with other pitches than
// the one that found where it ends.
//
// A cyclic walk over nodes in random order, `stride` bytes apart, sees an LRU cache so: n = line /
// stride nodes share a line (1 where they are farther apart), M = region / max(stride, line) lines
// are touched in a lap, x = M × line / capacity. Within a part g of a lap M (1 − (1 − g)ⁿ)
// different lines are touched, so a line outlives a gap between two loads of it up to
//   g* = 1 − (1 − 1/x)^(1/n).
// Its n loads lie at uniform times of the lap. j gaps in a row are shorter than g* with
//   Σᵢ (−1)ⁱ C(j, i) max(0, 1 − i g*)^(n − 1)
// (spacings on a circle: Feller, An Introduction to Probability Theory, vol. 2, I.9), and a load
// finds its sector where the line outlived all gaps since the last load of one of the sector's
// nodes. With one node a line every load beyond the end misses: that is how ends are looked for.
#ifndef MAP_LINES_H
#define MAP_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LINES_MIN_BYTES = 32,
    LINES_MAX_BYTES = 256,
    LINES_LEVELS_MAX = 8
};

// A cache; the last of several is the memory behind them, with an infinite capacity.
struct lines_cache {
    double latency;  // of a load that finds its line there; any unit
    double capacity; // bytes
    double line, sector;
};

struct lines_chain {
    double region, stride; // bytes
};

// Latency that such caches give a chain whose stride is an odd multiple of 32 bytes, or where sets
// are chosen by a hash.
double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain);

struct lines_probe {
    struct lines_chain chain;
    double latency;
};

// The probes that tell a level's line: their regions over where it ends.
//   416 bytes is 13 × 32, so one node a line and no set left out: up to 1, 2, 3 and 4 of the first
//   four fit where lines are 256, 128, 64 and 32 bytes and the end is the capacity
//   32 bytes: every line is touched, so they fit by capacity alone: what lines shorter than the
//   stride leave of it
//   the last ones, beyond the end: hits are of nodes that share a sector
extern const struct lines_chain lines_plan[];
extern const size_t lines_plan_count;

struct lines_question {
    const struct lines_cache *caches; // those nearer to the core: as answered before
    size_t level;                     // how many those are
    double latency, beyond;           // of the level asked about, and of what follows it
    double beyond_end;                // where that ends, as `end`; 0: it is memory
    double end;                       // where it ends for a chain with
    double stride;                    // …
    double noise;                     // of a probe, relative
    const struct lines_probe *probes;
    size_t probe_count;
};

// 0 in place of what the probes do not tell. `why` then says so in a sentence part.
struct lines_answer {
    double line, sector, capacity;
    const char *why;
};

// The line, sector and capacity under which the probes are most likely; what another choice
// explains as well is left open.
struct lines_answer lines_judge(const struct lines_question *question);

// The level as it stands between the core and the next one; what is not told as if lines were as
// long as the stride.
struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer);

#endif
