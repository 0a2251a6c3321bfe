// SPDX-License-Identifier: MIT
// The line, the sector and the true size of a cache, from the latencies of chains with other
// strides than the chain that found its end.
//
// A cyclic walk over nodes in random order, `stride` bytes apart, through an LRU cache: n = line /
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

// The latency of a chain through such caches, if its stride is an odd multiple of 32 bytes or a
// hash chooses the sets.
double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain);

struct lines_probe {
    struct lines_chain chain;
    double latency;
};

// The probes that show the line of a level: their regions are multiples of its end.
//   416 bytes is 13 × 32: one node a line, and no set left out. Of the first four 1, 2, 3 or 4 fit
//   if lines are 256, 128, 64 or 32 bytes and the end is the capacity
//   32 bytes: every line is touched, so they fit by capacity alone: what lines shorter than the
//   stride leave of it
//   the last ones lie beyond the end: only nodes that share a sector hit
extern const struct lines_chain lines_plan[];
extern const size_t lines_plan_count;

struct lines_question {
    const struct lines_cache *caches; // those nearer to the core, by lines_cache_of
    size_t level;                     // how many those are
    double latency, beyond;           // of the level, and of what follows it
    double beyond_end;                // where that ends, as `end`; 0: it is memory
    double end;                       // where it ends for a chain with
    double stride;                    // …
    double noise;                     // of a probe, relative
    const struct lines_probe *probes;
    size_t probe_count;
};

// 0 for each that the probes do not show; `why` then has the reason, as part of a sentence.
struct lines_answer {
    double line, sector, capacity;
    const char *why;
};

// The line, sector and capacity that make the probes most likely. A part is 0 if another value of
// it explains the probes nearly as well.
struct lines_answer lines_judge(const struct lines_question *question);

// The cache that the answer describes, for the question about the next level. An unknown line
// counts as one stride.
struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer);

#endif
