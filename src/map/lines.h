// SPDX-License-Identifier: MIT
// Finds the line, the sector and the true size of a cache, from the latencies of chains with other
// strides than the chain that found the cache's end.
//
// The model is a cyclic walk over nodes in random order, `stride` bytes apart, through an LRU
// cache. n = line / stride nodes share a line (1 if they are farther apart). A lap touches M =
// region / max(stride, line) lines, x = M × line / capacity times as many as the cache has. In a
// share g of a lap, M (1 − (1 − g)ⁿ) different lines are touched, so a line survives a gap between
// two of its loads if the gap is shorter than the share
//   g* = 1 − (1 − 1/x)^(1/n).
// The n loads of a line lie at uniformly random times of the lap. j gaps in a row are all shorter
// than g* with probability
//   Σᵢ (−1)ⁱ C(j, i) max(0, 1 − i g*)^(n − 1)
// (spacings on a circle: Feller, An Introduction to Probability Theory, vol. 2, I.9). A load finds
// its sector if the line survived all gaps since the last load of any node in this sector. With one
// node per line, every load beyond the end misses: such chains find the ends.
#ifndef MAP_LINES_H
#define MAP_LINES_H

#include "math/step_shapes.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LINES_MIN_BYTES = 32,
    LINES_MAX_BYTES = 256
};

// A cache. The last element of an array of caches is the memory after them, with infinite capacity.
struct lines_cache {
    double latency;  // latency of a load that hits this cache; any unit
    double capacity; // bytes
    double line, sector;
    double spread; // > 0: ways of a set; lines per set then have a Poisson distribution
};

struct lines_chain {
    double region, stride; // bytes
};

// Returns the expected latency of a chain through `count` caches. It holds if the stride is an odd
// multiple of 32 bytes, or if a hash chooses the sets.
double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain);

struct lines_probe {
    struct lines_chain chain;
    double latency;
};

// The probes that show the line of a level. `region` is here a multiple of the level's end.
//   stride 416 = 13 × 32: There is one node per line, and all sets are used. If the end is the
//   capacity, 1, 2, 3 or 4 of these four probes fit for lines of 256, 128, 64 or 32 bytes.
//   stride 32, regions below 1: Every line is touched, so only the capacity decides whether a probe
//   fits. The capacity is less than the end if lines are shorter than the stride of the chain that
//   found the end.
//   stride 1696 = 53 × 32: Any cache holds so few lines, but the pages are as many as before: if
//   these probes do not fit, translation makes the end.
//   strides 32 and 64, regions 1.5 and 2.2: They lie beyond the end, so only nodes that share a
//   sector hit.
extern const struct lines_chain lines_plan[];
extern const size_t lines_plan_count;

struct lines_question {
    const struct lines_cache *caches; // the caches nearer to the core, made by lines_cache_of
    size_t level;                     // number of these caches
    double latency, beyond;           // latency of the level; of the next level or of memory
    double beyond_end;                // end of the next level in bytes; 0: memory comes next
    double end;                       // end of the level in bytes, as a chain shows it
    double stride;                    // stride in bytes of the chain that found the end
    double noise;                     // relative noise of a probe's latency
    double spread;                    // `spread` of struct lines_cache, for the level
    const struct step_shapes *shapes; // with `shape`: form of the rise at the end; NULL: unknown
    unsigned shape;
    const struct lines_probe *probes;
    size_t probe_count;
};

// The answer, in bytes. 0: the probes do not show the value, and `why` has the reason, as part of a
// sentence.
struct lines_answer {
    double line, sector, capacity;
    const char *why;
    bool misfit; // true: the probes were measured, but no cache explains them
};

// Returns the line, sector and capacity that make the probes most likely. A hash may fill sets
// unevenly, so that a cache ends before its capacity; such answers must explain the probes better.
// A value is 0 if another value explains the probes nearly as well; all are 0 if no answer explains
// them.
struct lines_answer lines_judge(const struct lines_question *question);

// Returns the sector of a cache whose line is known, from probes with several nodes per line that
// cover more than the cache: only nodes that share a sector then find it loaded. `capacity` may be
// wrong by a factor of 1.6. If these probes leave several sectors possible, the answer is that of
// lines_judge, `judged` (0: none), if it explains them best. Else returns 0.
double lines_sector(const struct lines_question *question, double line, double capacity,
                    double judged);

// Returns the cache that the answer describes, for the question about the next level. If the line
// is unknown, it is set to the stride; the capacity to the end; the sector to LINES_MIN_BYTES.
struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer);

#endif
