// SPDX-License-Identifier: MIT
// The line, the sector and the true size of a cache, from the latencies of chains with other
// strides than the chain that found its end.
//
// A cyclic walk over nodes in random order, `stride` bytes apart, through an LRU cache: n = line /
// stride nodes share a line (1 if they are farther apart), M = region / max(stride, line) lines are
// touched in a lap, x = M × line / capacity. Within a part g of a lap M (1 − (1 − g)ⁿ) different
// lines are touched, so a line outlives a gap between two loads of it up to
//   g* = 1 − (1 − 1/x)^(1/n).
// Its n loads lie at uniform times of the lap. j gaps in a row are shorter than g* with probability
//   Σᵢ (−1)ⁱ C(j, i) max(0, 1 − i g*)^(n − 1)
// (spacings on a circle: Feller, An Introduction to Probability Theory, vol. 2, I.9), and a load
// finds its sector if the line outlived all gaps since the last load of one of the sector's nodes.
// With one node per line, every load beyond the end misses: such chains find the ends.
#ifndef MAP_LINES_H
#define MAP_LINES_H

#include "math/step_shapes.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LINES_MIN_BYTES = 32,
    LINES_MAX_BYTES = 256
};

// A cache. In an array, the last element is the memory after all caches, with an infinite capacity.
struct lines_cache {
    double latency;  // of a load that finds its line there; any unit
    double capacity; // bytes
    double line, sector;
    double spread; // > 0: ways of a set, whose number of lines has a Poisson distribution
};

struct lines_chain {
    double region, stride; // bytes
};

// The expected latency of a chain through `count` such caches, if its stride is an odd multiple of
// 32 bytes or a hash chooses the sets.
double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain);

struct lines_probe {
    struct lines_chain chain;
    double latency;
};

// The probes that show the line of a level. Here `region` is a multiple of the level's end.
//   stride 416 = 13 × 32: one node per line, and all sets are used. Of these four probes, 1, 2, 3
//   or 4 fit if lines have 256, 128, 64 or 32 bytes and the end is the capacity
//   stride 32: every line is touched, so only the capacity decides whether a probe fits. It is
//   smaller than the end if lines are shorter than the stride of the chain that found the end
//   stride 1696 = 53 × 32: so few lines that any cache holds them, over as many pages as before: if
//   they do not fit, translation makes the end
//   the other four lie beyond the end: only nodes that share a sector hit
extern const struct lines_chain lines_plan[];
extern const size_t lines_plan_count;

struct lines_question {
    const struct lines_cache *caches; // the caches nearer to the core, from lines_cache_of
    size_t level;                     // number of these caches
    double latency, beyond;           // of the level; of the next level or memory
    double beyond_end;                // end of the next level in bytes; 0: memory follows
    double end;                       // end of the level in bytes, as a chain shows it
    double stride;                    // stride of that chain in bytes
    double noise;                     // relative noise of a probe's latency
    double spread;                    // of the level, as in struct lines_cache
    const struct step_shapes *shapes; // with `shape`: how the rise at the end looks; NULL: unknown
    unsigned shape;
    const struct lines_probe *probes;
    size_t probe_count;
};

// Bytes; 0: the probes do not show it, and `why` has the reason, as part of a sentence.
struct lines_answer {
    double line, sector, capacity;
    const char *why;
    bool misfit; // the probes were measured, and no cache explains them
};

// The line, sector and capacity that make the probes most likely. A hash may fill sets unevenly, so
// that a cache ends before its capacity; such answers have to explain the probes better. A value is
// 0 if another one explains the probes nearly as well; all are 0 if none explains them.
struct lines_answer lines_judge(const struct lines_question *question);

// The cache that the answer describes, for the question about the next level. An unknown line
// counts as one stride, an unknown capacity as the end, an unknown sector as LINES_MIN_BYTES.
struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer);

#endif
