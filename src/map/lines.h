// SPDX-License-Identifier: MIT
// Finds the line, the sector and the true size of a cache, from the latencies of chains with
// several strides.
//
// The model is a cyclic walk over nodes in random order, `stride` bytes apart, through an LRU
// cache. n = line / stride nodes share a line (1 if they are farther apart). A lap touches M =
// region / max(stride, line) lines, which is x = M × line / capacity times as many as the cache
// has. In a share g of a lap, M (1 − (1 − g)ⁿ) different lines are touched. So a line survives from
// one of its loads to the next if the gap between them is shorter than the share
//   g* = 1 − (1 − 1/x)^(1/n).
// The n loads of a line lie at uniformly random times of the lap. The probability that j successive
// gaps are all shorter than g* is
//   Σᵢ (−1)ⁱ C(j, i) max(0, 1 − i g*)^(n − 1)
// (spacings on a circle: Feller, An Introduction to Probability Theory, vol. 2, I.9). A load finds
// its sector if the line survived all gaps since the last load of any node in this sector. With one
// node per line, every load beyond the end misses, so such chains find the ends.
//
// A cache may also replace a random line. Then a line survives the share g of a lap with the
// probability exp(−a g). Here a × capacity / line is the number of loads in a lap that find no
// line.
#ifndef MAP_LINES_H
#define MAP_LINES_H

#include "math/step_shapes.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LINES_MIN_BYTES = 32,
    LINES_MAX_BYTES = 256
};

// A cache of the model, or memory.
struct lines_cache {
    double latency;  // latency of a load that hits this cache; any unit
    double capacity; // size of the cache in bytes
    double line, sector;
    // Number of ways of a set if the sets fill unevenly: the lines per set then have a Poisson
    // distribution. 0 if all sets fill evenly.
    double spread;
    bool random; // true if the cache replaces a random line of the set instead of the oldest one
};

struct lines_chain {
    double region, stride; // bytes that the chain covers, and bytes from one node to the next
};

// Returns the mean latency of a load of the chain that the model expects. The last of the `count`
// caches is memory. The model needs a stride of an odd multiple of 32 bytes, or sets that a hash
// chooses.
double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain);

struct lines_probe {
    struct lines_chain chain;
    double latency;
};

// The probes that show the line of a level. `region` is here a multiple of the region at which the
// level ends on the latency curve. "Fits" means that the level holds all lines of the chain.
//
//   stride 416 = 13 × 32: There is one node per line, and all sets are used. If the level's end is
//   the capacity, 1, 2, 3 or 4 of these probes fit for lines of 256, 128, 64 or 32 bytes.
//
//   strides 32 and 64, regions below 1: Every line is touched, so only the capacity decides what
//   fits. The capacity is below the level's end if lines are shorter than the curve's stride.
//
//   stride 1696 = 53 × 32: Any cache holds the few lines of this chain. If it does not fit, its
//   many pages do not fit either: the level's end is that of a TLB.
//
//   strides 32 and 64, regions 1.5 and 2.2: A load hits only if another node has loaded its sector.
extern const struct lines_chain lines_plan[];
extern const size_t lines_plan_count;

struct lines_question {
    // The caches nearer to the core than the level, made by lines_cache_of.
    const struct lines_cache *caches;
    size_t level;           // index of the level: the number of caches nearer to the core
    double latency, beyond; // latency of this level, and of the next level (or memory)
    // Region in bytes at which the next level ends; 0 if the next level is memory.
    double beyond_end;
    // Region in bytes at which the level ends on the latency curve.
    double end;
    double stride; // bytes from node to node of the chains that measured the latency curve
    double noise;  // relative standard deviation of a probe's latency
    // Number of ways of the level's sets if they fill unevenly; 0 if they fill evenly.
    double spread;
    // `shapes` is a table of the ways in which latency can rise at the end of a level
    // (math/step_shapes.h), or NULL. At the end of this level, it rises in way number `shape`.
    const struct step_shapes *shapes;
    unsigned shape;
    const struct lines_probe *probes;
    size_t probe_count;
};

// What the probes show of a cache, in bytes. A value is 0 if the probes do not show it; `why` then
// has the reason as part of a sentence.
struct lines_answer {
    double line, sector, capacity;
    const char *why;
    bool misfit; // true if the probes were measured, but no cache explains them
};

// Returns the line, sector and capacity of a level's cache that explain the latencies of the probes
// best. A value is 0 if another value explains the probes nearly as well. All values are 0 if no
// answer explains the probes. Answers in which a hash fills sets unevenly have an additional cost.
struct lines_answer lines_judge(const struct lines_question *question);

// Returns the sector of a cache whose line is known; 0 if the sector is unknown. `capacity` may be
// wrong by a factor of 1.6. `judged` is the sector that lines_judge found, or 0. If it is not 0,
// the function confirms it (with a smaller margin) or returns 0. The probes in `question` have
// several nodes per line and cover more than the cache: a load hits only if another node has loaded
// its sector.
double lines_sector(const struct lines_question *question, double line, double capacity,
                    double judged);

// Returns the cache that `answer` describes, as input for the question about the next level.
// Unknown values are replaced: the line by the stride, the capacity by the region at the end, the
// sector by LINES_MIN_BYTES.
struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer);

#endif
